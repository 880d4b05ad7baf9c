import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import '../ui/tokens.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { askAhead, queryClient } from '../market/queries.ts';
import { watchVenue } from '../market/venue.ts';
import { watchWallets } from '../session/browser-wallets.ts';
import { restoreSession } from '../session/stored-session.ts';
import { setSession } from '../session/session.ts';
import { applyLanguage, applyPreferences } from '../ui/preferences.ts';
import { createPageRouter } from './create-page-router.tsx';

// Before anything of Radix puts a style in: the policy of the page wants it signed.
const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content');
if (nonce) setNonce(nonce);

applyPreferences();
askAhead();
watchVenue();
watchWallets();
// A browser that keeps keys but can't reach the venue shows the page without an account.
restoreSession().catch(() => setSession(undefined));

// What is asked of the venue is under way; texts in another language come meanwhile.
void applyLanguage().then(show);

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
