import { useQuery } from '@tanstack/react-query';
import type { Portfolio, PortfolioPoint, PortfolioWindow } from '@oddlot/sdk';
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
  const filled = fillLists.use(user, ({ rows }) => rows[0]?.tid);
  const moved = ledgerLists.use(user, ({ rows: [row] }) => row && changeOf(row));
  const { data } = useQuery({
    queryKey: ['portfolio', user, window, filled, moved],
    queryFn: ({ signal }) => reader.info.portfolio({ user, window }, { signal }),
    placeholderData: (before) => before,
    refetchInterval: everyMs,
  });
  const ledger = ledgerLists.use(user, ({ rows }) => rows);
  const isLoaded = ledgerLists.use(user, (list) => list.isLoaded);
  const kept = useMemo(
    () => keptWindow(data, { rows: ledger, isWhole: isLoaded && ledger.length < WHOLE_BELOW }),
    [data, isLoaded, ledger],
  );
  const worth = useWorth(user);
  const points = useMemo(() => upToNow(kept.points, worth, ledger), [kept, worth, ledger]);
  return { data, kept, points, now: points.at(-1) };
}

/** A withdrawal changes in its row. */
function changeOf(row: Parameters<typeof ledgerId>[0]): string {
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
