import type { ScreenEntry } from '../../lib/screen.ts';

export const screens: readonly ScreenEntry[] = [
  { path: '/portfolio', load: () => import('./portfolio-screen.tsx') },
];
