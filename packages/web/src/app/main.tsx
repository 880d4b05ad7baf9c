import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import '../ui/tokens.css';
import { QueryClientProvider } from '@tanstack/react-query';
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Link,
  RouterProvider,
} from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { askAhead, queryClient } from '../market/queries.ts';
import { watchVenue } from '../market/venue.ts';
import { watchWallets } from '../session/browser-wallets.ts';
import { restoreSession } from '../session/session.ts';
import { applyLanguage, applyPreferences } from '../ui/preferences.ts';
import { SCREENS } from './screens.ts';
import { Shell } from './shell/shell.tsx';
import { useWords } from '../lib/words.ts';
import { EmptyState } from '../ui/states.tsx';
import { Button, Spinner } from '../ui/controls.tsx';

// Radix inserts styles, which need the nonce from the content security policy.
const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content');
if (nonce) setNonce(nonce);

applyPreferences();
askAhead();
watchVenue();
watchWallets();
void restoreSession();

void applyLanguage().then(show);

/** The worker starts some time after the first screen, so as not to delay it. */
const WORKER_AFTER_MS = 5_000;

addEventListener('load', () => {
  const register = (): void => {
    // Browsers refuse workers from untrusted addresses, and the page works without one.
    void navigator.serviceWorker?.register('/worker.js').catch(() => undefined);
  };
  setTimeout(register, WORKER_AFTER_MS);
});

function show(): void {
  const root = document.querySelector('#root');
  if (root === null) return;
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={createPageRouter()} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

function createPageRouter() {
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

function ScreenFault({ error, reset }: ErrorComponentProps) {
  const t = useWords();
  return (
    <div role="alert">
      <EmptyState
        isScreen
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
      isScreen
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
