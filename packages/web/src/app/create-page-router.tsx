import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Link,
} from '@tanstack/react-router';
import type { ScreenEntry } from '../lib/screen.ts';
import { Shell } from './shell/shell.tsx';
import { useWords } from '../lib/words.ts';
import { EmptyState, Spinner } from '../ui/empty-state.tsx';
import { Button } from '../ui/button.tsx';

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

function ScreenLoading() {
  const t = useWords();
  return (
    <p role="status" className="flex h-40 items-center justify-center gap-2 text-muted">
      <Spinner />
      {t('app.loading')}
    </p>
  );
}

/** A screen that broke takes nothing else with it. */
function ScreenFault({ error, reset }: ErrorComponentProps) {
  const t = useWords();
  return (
    <div role="alert">
      <EmptyState
        title={t('app.brokenTitle')}
        text={`${t('app.brokenText')} (${error instanceof Error ? error.message : String(error)})`}
        action={<Button onClick={reset}>{t('app.tryAgain')}</Button>}
      />
    </div>
  );
}

function NotFound() {
  const t = useWords();
  return (
    <EmptyState
      title={t('app.notFoundTitle')}
      text={t('app.notFoundText')}
      action={
        <Link to="/" className="text-accent hover:underline">
          {t('app.toMarkets')}
        </Link>
      }
    />
  );
}
