import type { ScreenEntry } from '../../lib/screen-entry.ts';

export const screens: readonly ScreenEntry[] = [
  { path: '/account', load: () => import('./account-screen.tsx') },
];
