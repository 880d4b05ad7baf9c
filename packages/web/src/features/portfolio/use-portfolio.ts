import { useQuery } from '@tanstack/react-query';
import type { Portfolio, PortfolioPoint, PortfolioWindow } from '@oddlot/sdk';
import { useMemo } from 'react';
import { add } from '../../lib/decimal.ts';
import { accountStates } from '../../market/account.ts';
import { fillLists, ledgerId, ledgerLists } from '../../market/account-lists.ts';
import { reader } from '../../market/venue.ts';
import { upToNow } from './up-to-now.ts';

const NO_POINTS: readonly PortfolioPoint[] = [];

/** A window of an account as the venue tells it, and its points up to this moment. */
export function usePortfolio(
  user: string,
  window: PortfolioWindow,
  everyMs: number,
): {
  readonly data: Portfolio | undefined;
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
  const worth = useWorth(user);
  const told = data?.points ?? NO_POINTS;
  const points = useMemo(() => upToNow(told, worth, ledger), [told, worth, ledger]);
  return { data, points, now: points.at(-1) };
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
