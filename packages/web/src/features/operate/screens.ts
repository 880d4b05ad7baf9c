import type { ScreenEntry } from '../../lib/screen.ts';

export const screens: readonly ScreenEntry[] = [
  { path: '/operate', load: () => import('./operate-screen.tsx') },
];
