import type { ScreenEntry } from '../../lib/screen.ts';

export const screens: readonly ScreenEntry[] = [
  { path: '/events', load: () => import('./events-screen.tsx') },
  { path: '/events/$slug', load: () => import('./event-screen.tsx') },
  { path: '/series/$slug', load: () => import('./series-screen.tsx') },
];
