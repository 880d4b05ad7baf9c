import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type AnyRoute,
} from '@tanstack/react-router';
import type { ScreenEntry } from '../lib/screen-entry.ts';
import { NotFound } from './shell/not-found.tsx';
import { ScreenFault } from './shell/screen-fault.tsx';
import { ScreenLoading } from './shell/screen-loading.tsx';
import { Shell } from './shell/shell.tsx';

/** Every feature lists its screens beside its code; a screen's code comes when somebody goes there. */
const LISTS = import.meta.glob<{ readonly screens: readonly ScreenEntry[] }>(
  '../features/*/screens.ts',
  { eager: true },
);

const SCREENS: readonly ScreenEntry[] = Object.values(LISTS).flatMap(({ screens }) => screens);

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

export function createPageRouter() {
  const routes: AnyRoute[] = SCREENS.map(({ load, path }) =>
    createRoute({
      getParentRoute: () => rootRoute,
      path,
      component: lazyRouteComponent(load, 'Screen'),
    }),
  );
  return createRouter({
    routeTree: rootRoute.addChildren(routes),
    defaultPreload: 'intent',
    defaultPendingComponent: ScreenLoading,
    defaultErrorComponent: ScreenFault,
    scrollRestoration: true,
  });
}
