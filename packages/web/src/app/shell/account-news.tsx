import type { LedgerUpdate } from '@oddlot/sdk';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import { useWords } from '../../lib/words.ts';
import { fillLists, ledgerLists, type ListState } from '../../market/account-lists.ts';
import { knownPerps } from '../../market/queries.ts';
import { useSession } from '../../session/use-session.ts';
import { playTone } from '../../ui/play-tone.ts';
import { preferences } from '../../ui/preferences.ts';
import { notify } from '../../ui/toast.tsx';
import { fillNews, ledgerNews, type News } from './news.ts';
import { settledMarkets } from './settled-markets.ts';

/** Tells what happens to the account while the page is open: fills, liquidations, settlements, money. */
export function AccountNews() {
  const t = useWords();
  const user = useSession()?.address;
  const hasSound = useStore(preferences, (state) => state.hasSound);
  const fills = fillLists.useStore(user);
  const ledger = ledgerLists.useStore(user);
  useEffect(() => {
    const tell = (news: readonly News[]): void => {
      for (const each of news) notify(each);
      if (hasSound && news.length > 0) playTone();
    };
    const leaveFills = onNewRows(fills, (rows) => tell(fillNews(rows, t, knownPerps())));
    const tellLedger = async (rows: readonly LedgerUpdate[]): Promise<void> =>
      tell(ledgerNews(rows, t, await settledMarkets(rows)));
    const leaveLedger = onNewRows(ledger, (rows) => void tellLedger(rows));
    return () => {
      leaveFills();
      leaveLedger();
    };
  }, [fills, ledger, hasSound, t]);
  return null;
}

/** Not once per frame: of two messages in one frame both are news. */
function onNewRows<Row>(
  store: StoreApi<ListState<Row>>,
  tell: (rows: readonly Row[]) => void,
): () => void {
  return store.subscribe(({ fresh }, before) => {
    if (fresh !== before.fresh && fresh.length > 0) tell(fresh);
  });
}
