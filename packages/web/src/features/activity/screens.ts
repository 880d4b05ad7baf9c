import type { ScreenEntry } from '../../lib/screen.ts';

export const screens: readonly ScreenEntry[] = [
  { path: '/activity', load: () => import('./activity-screen.tsx') },
  { path: '/leaderboard', load: () => import('./leaderboard-screen.tsx') },
];
