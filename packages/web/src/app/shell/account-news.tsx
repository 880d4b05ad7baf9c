import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useWords } from '../../lib/words.ts';
import { createReporter, fillLists, ledgerLists } from '../../market/account-lists.ts';
import { checkAgent } from '../../session/sent-once.ts';
import { useSession, type Session } from '../../session/session.ts';
import { notify, playTone } from '../../ui/overlays.tsx';
import { preferences } from '../../ui/preferences.ts';
import { namedFillNews, namedLedgerNews, type News } from './news.ts';

const newFills = createReporter(fillLists);
const newLedger = createReporter(ledgerLists);

export function AccountNews() {
  const t = useWords();
  const session = useSession();
  const user = session?.address;
  useCheckedAgent(session);
  const hasSound = useStore(preferences, (state) => state.hasSound);
  useEffect(() => {
    if (user === undefined) return undefined;
    const report = (news: readonly News[]): void => {
      for (const each of news) notify(each);
      if (hasSound && news.length > 0) playTone();
    };
    const leaveFills = newFills(user, (rows) => void namedFillNews(rows, t).then(report));
    const leaveLedger = newLedger(user, (rows) => void namedLedgerNews(rows, t).then(report));
    return () => {
      leaveFills();
      leaveLedger();
    };
  }, [user, hasSound, t]);
  return null;
}

const CHECK_EVERY_MS = 15_000;

/** Detects when this browser's agent has been revoked. The page then no longer offers trading. */
function useCheckedAgent(session: Session | undefined): void {
  useEffect(() => {
    if (session?.agentAddress === undefined) return undefined;
    const check = (): void => {
      if (document.visibilityState === 'visible') void checkAgent(session).catch(() => undefined);
    };
    const timer = setInterval(check, CHECK_EVERY_MS);
    document.addEventListener('visibilitychange', check);
    globalThis.addEventListener('focus', check);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', check);
      globalThis.removeEventListener('focus', check);
    };
  }, [session]);
}
