import type { ScreenEntry } from '../../lib/screen.ts';

export const screens: readonly ScreenEntry[] = [
  { path: '/trade/$market', load: () => import('./trade-screen.tsx') },
];
