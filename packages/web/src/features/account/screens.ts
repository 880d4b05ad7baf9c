import type { ScreenEntry } from '../../lib/screen.ts';

export const screens: readonly ScreenEntry[] = [
  { path: '/account', load: () => import('./account-screen.tsx') },
];
