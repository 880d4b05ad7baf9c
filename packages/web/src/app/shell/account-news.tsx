import type { Fill, LedgerUpdate } from '@oddlot/sdk';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useWords } from '../../lib/words.ts';
import { fillLists, ledgerLists } from '../../market/account-lists.ts';
import { createTeller } from '../../market/arrivals.ts';
import { marketNames, type MarketNames } from '../../market/market-names.ts';
import { knownPerps } from '../../market/queries.ts';
import { useSession } from '../../session/use-session.ts';
import { playTone } from '../../ui/play-tone.ts';
import { preferences } from '../../ui/preferences.ts';
import { notify } from '../../ui/toast.tsx';
import { fillNews, ledgerNews, type News } from './news.ts';

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
    const tellFills = async (rows: readonly Fill[]): Promise<void> => {
      const shares = rows.filter(({ outcome }) => outcome !== undefined);
      const names = await namesFor(shares.map(({ instrumentId }) => instrumentId));
      tell(fillNews(rows, t, knownPerps(), names));
    };
    const leaveFills = newFills(user, (rows) => void tellFills(rows));
    const tellLedger = async (rows: readonly LedgerUpdate[]): Promise<void> => {
      const ids = rows.flatMap(({ delta }) =>
        delta.type === 'outcomeSettlement' ? [delta.instrumentId] : [],
      );
      tell(ledgerNews(rows, t, await namesFor(ids)));
    };
    const leaveLedger = newLedger(user, (rows) => void tellLedger(rows));
    return () => {
      leaveFills();
      leaveLedger();
    };
  }, [user, hasSound, t]);
  return null;
}

/** News is told without names where the venue does not answer. */
function namesFor(instrumentIds: readonly number[]): Promise<MarketNames> {
  return marketNames(instrumentIds).catch(() => new Map());
}
