import { Outlet } from '@tanstack/react-router';
import { useWords } from '../../lib/words.ts';
import { LookingOn } from '../../session/looking-on.tsx';
import { Toasts } from '../../ui/toast.tsx';
import { AccountNews } from './account-news.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { Header } from './header.tsx';

/** What is around every screen. */
export function Shell() {
  const t = useWords();
  return (
    <div className="flex h-full flex-col bg-panel">
      <a
        href="#screen"
        className="heard focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:h-auto focus:w-auto focus:rounded focus:bg-raised focus:p-2 focus:[clip-path:none]"
      >
        {t('app.skip')}
      </a>
      <Header />
      <ConnectionBanner />
      <LookingOn />
      <main id="screen" className="min-h-0 flex-1 overflow-y-auto" tabIndex={-1}>
        <Outlet />
      </main>
      <BottomBar />
      <AccountNews />
      <Toasts />
    </div>
  );
}
