import { Outlet, useRouter } from '@tanstack/react-router';
import { Fragment, useEffect, useState } from 'react';
import { useLanguage, useWords } from '../../lib/words.ts';
import { LookingOn } from '../../session/looking-on.tsx';
import { useSession } from '../../session/use-session.ts';
import { late, onDemand } from '../../ui/late.tsx';
import { loadAheadSoon } from '../../ui/load-ahead.ts';
import { SkipLink } from '../../ui/skip-link.tsx';
import { Toasts } from '../../ui/toast.tsx';
import { useHotkey } from '../../ui/use-hotkey.ts';
import { Alerts } from '../alerts/alerts.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { Header } from './header.tsx';

const AccountNews = onDemand(async () => (await import('./account-news.tsx')).AccountNews);
const HelpDialog = late(async () => (await import('./help-dialog.tsx')).HelpDialog);

/** What is around every screen. */
export function Shell() {
  const t = useWords();
  const language = useLanguage();
  const hasAccount = useSession() !== undefined;
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  useHotkey('?', () => setIsHelpOpen(true));
  useFocusOnArrival();
  useEffect(() => {
    if (hasAccount) loadAheadSoon();
  }, [hasAccount]);
  return (
    <div className="flex h-full flex-col bg-panel">
      <SkipLink to="screen">{t('app.skip')}</SkipLink>
      <Header onHelp={() => setIsHelpOpen(true)} />
      <ConnectionBanner />
      <LookingOn />
      <main id="screen" className="min-h-0 flex-1 overflow-y-auto outline-none" tabIndex={-1}>
        {/* Figures that are drawn and remembered are written anew in another language. */}
        <Fragment key={language}>
          <Outlet />
        </Fragment>
      </main>
      <Toasts />
      <BottomBar />
      {hasAccount && <AccountNews />}
      {isHelpOpen && <HelpDialog isOpen onClose={() => setIsHelpOpen(false)} />}
      <Alerts />
    </div>
  );
}

/** Who goes to another screen by the keyboard goes on from its beginning, not through the header again. */
function useFocusOnArrival(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        const main = document.querySelector<HTMLElement>('main#screen');
        const at = document.activeElement;
        const isInUse = at !== null && (main?.contains(at) || at.closest('[role=dialog]') !== null);
        if (fromLocation !== undefined && pathChanged && !isInUse) {
          main?.focus({ preventScroll: true });
        }
      }),
    [router],
  );
}
