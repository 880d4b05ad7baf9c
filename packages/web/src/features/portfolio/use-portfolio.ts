import { useQuery } from '@tanstack/react-query';
import type { LedgerUpdate, Portfolio, PortfolioPoint, PortfolioWindow } from '@oddlot/sdk';
import { useMemo } from 'react';
import { add } from '../../lib/decimal.ts';
import { accountStates } from '../../market/account.ts';
import { fillLists, ledgerId, ledgerLists } from '../../market/account-lists.ts';
import { reader } from '../../market/venue.ts';
import { WHOLE_BELOW } from './beginning.ts';
import { keptWindow, type KeptWindow } from './kept-history.ts';
import { upToNow } from './up-to-now.ts';

/** A window of an account as the venue tells it, and as the page shows it. */
export function usePortfolio(
  user: string,
  window: PortfolioWindow,
  everyMs: number,
): {
  readonly data: Portfolio | undefined;
  /** What of it the history has. */
  readonly kept: KeptWindow;
  /** The same up to this moment. */
  readonly points: readonly PortfolioPoint[];
  readonly now: PortfolioPoint | undefined;
} {
  // A fill changes the sums at once, and so does money that comes or goes; the rest of the time the marks move the value slowly.
  const filled = fillLists.use(user, ({ isLoaded, rows }) => isLoaded && (rows[0]?.tid ?? 0));
  const moved = ledgerLists.use(user, ({ isLoaded, rows }) => isLoaded && changeOf(rows[0]));
  const { data } = useQuery({
    queryKey: ['portfolio', user, window, filled, moved],
    queryFn: ({ signal }) => reader.info.portfolio({ user, window }, { signal }),
    // Not asked three times when the page opens.
    enabled: filled !== false && moved !== false,
    placeholderData: (before) => before,
    refetchInterval: everyMs,
  });
  const ledger = ledgerLists.use(user, ({ rows }) => rows);
  const kept = useMemo(
    () =>
      keptWindow(data, { rows: ledger, isWhole: moved !== false && ledger.length < WHOLE_BELOW }),
    [data, ledger, moved],
  );
  const worth = useWorth(user);
  const points = useMemo(() => upToNow(kept.points, worth, ledger), [kept, worth, ledger]);
  return { data, kept, points, now: points.at(-1) };
}

/** A withdrawal changes in its row. */
function changeOf(row: LedgerUpdate | undefined): string {
  if (row === undefined) return '';
  const { delta } = row;
  return `${ledgerId(row)} ${delta.type === 'withdraw' ? delta.status : ''}`;
}

/** Both sub-accounts, as a portfolio counts them: what is held for a withdrawal is the account's until it is paid. */
function useWorth(user: string): string | undefined {
  const of = (accountType: 'perp' | 'outcome') =>
    accountStates.use({ user, accountType }, ({ state }) => state?.accountValuePlusWithdrawHold);
  const [perp, outcome] = [of('perp'), of('outcome')];
  return perp === undefined || outcome === undefined ? undefined : add(perp, outcome);
}
