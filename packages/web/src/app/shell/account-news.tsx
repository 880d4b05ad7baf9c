import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useWords } from '../../lib/words.ts';
import { createReporter, fillLists, ledgerLists } from '../../market/account-lists.ts';
import { useSession } from '../../session/session.ts';
import { notify, playTone } from '../../ui/overlays.tsx';
import { preferences } from '../../ui/preferences.ts';
import { namedFillNews, namedLedgerNews, type News } from './news.ts';

const newFills = createReporter(fillLists);
const newLedger = createReporter(ledgerLists);

export function AccountNews() {
  const t = useWords();
  const user = useSession()?.address;
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
