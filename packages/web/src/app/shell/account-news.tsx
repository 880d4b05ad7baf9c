import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useWords } from '../../lib/words.ts';
import { fillLists, ledgerLists } from '../../market/account-lists.ts';
import { createTeller } from '../../market/arrivals.ts';
import { useSession } from '../../session/use-session.ts';
import { playTone } from '../../ui/play-tone.ts';
import { preferences } from '../../ui/preferences.ts';
import { notify } from '../../ui/toast.tsx';
import { namedFillNews, namedLedgerNews } from './named-news.ts';
import type { News } from './news.ts';

const newFills = createTeller(fillLists);
const newLedger = createTeller(ledgerLists);

/** Tells what happens to the account while the page is open: fills, liquidations, settlements, money. */
export function AccountNews() {
  const t = useWords();
  const user = useSession()?.address;
  const hasSound = useStore(preferences, (state) => state.hasSound);
  useEffect(() => {
    if (user === undefined) return undefined;
    const tell = (news: readonly News[]): void => {
      for (const each of news) notify(each);
      if (hasSound && news.length > 0) playTone();
    };
    const leaveFills = newFills(user, (rows) => void namedFillNews(rows, t).then(tell));
    const leaveLedger = newLedger(user, (rows) => void namedLedgerNews(rows, t).then(tell));
    return () => {
      leaveFills();
      leaveLedger();
    };
  }, [user, hasSound, t]);
  return null;
}
