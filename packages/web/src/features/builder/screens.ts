import type { ScreenEntry } from '../../lib/screen.ts';

export const screens: readonly ScreenEntry[] = [
  { path: '/builder', load: () => import('./builder-screen.tsx') },
];
