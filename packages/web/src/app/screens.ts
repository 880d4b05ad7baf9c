import type { ComponentType } from 'react';

type ScreenEntry = {
  readonly path: string;
  readonly load: () => Promise<{ readonly Screen: ComponentType }>;
};

/**
 * The screens. Each is loaded when it is first used. `build/build-web.ts` reads this list as text.
 */
export const SCREENS: readonly ScreenEntry[] = [
  { path: '/', load: () => import('../features/markets/markets-screen.tsx') },
  { path: '/trade/$market', load: () => import('../features/perps/trade-screen.tsx') },
  { path: '/events', load: () => import('../features/outcomes/events-screen.tsx') },
  { path: '/events/$slug', load: () => import('../features/outcomes/event-screen.tsx') },
  { path: '/series/$slug', load: () => import('../features/outcomes/series-screen.tsx') },
  { path: '/portfolio', load: () => import('../features/portfolio/portfolio-screen.tsx') },
  { path: '/account', load: () => import('../features/account/account-screen.tsx') },
  { path: '/activity', load: () => import('../features/activity/activity-screen.tsx') },
  { path: '/leaderboard', load: () => import('../features/activity/leaderboard-screen.tsx') },
  { path: '/builder', load: () => import('../features/builder/builder-screen.tsx') },
  { path: '/explorer', load: () => import('../features/explorer/explorer-screen.tsx') },
  { path: '/explorer/block/$height', load: () => import('../features/explorer/block-screen.tsx') },
  { path: '/explorer/tx/$hash', load: () => import('../features/explorer/tx-screen.tsx') },
  {
    path: '/explorer/address/$address',
    load: () => import('../features/explorer/address-screen.tsx'),
  },
  { path: '/operate', load: () => import('../features/operate/operate-screen.tsx') },
];
