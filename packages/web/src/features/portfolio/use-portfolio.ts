import { useQuery } from '@tanstack/react-query';
import type { LedgerUpdate, Portfolio, PortfolioPoint, PortfolioWindow } from '@oddlot/sdk';
import { useMemo } from 'react';
import {
  add,
  compare,
  isDecimal,
  multiply,
  negate,
  roundTo,
  sign,
  subtract,
  sum,
} from '../../lib/decimal.ts';
import { accountStates } from '../../market/account.ts';
import { fillLists, ledgerId, ledgerLists } from '../../market/account-lists.ts';
import { reader } from '../../market/venue.ts';

export function usePortfolio(
  user: string,
  window: PortfolioWindow,
  everyMs: number,
): {
  readonly data: Portfolio | undefined;
  readonly known: KnownWindow;
  readonly points: readonly PortfolioPoint[];
  readonly now: PortfolioPoint | undefined;
} {
  const filled = fillLists.use(user, ({ isLoaded, rows }) => isLoaded && (rows[0]?.tid ?? 0));
  const moved = ledgerLists.use(user, ({ isLoaded, rows }) => isLoaded && changeOf(rows[0]));
  const { data } = useQuery({
    queryKey: ['portfolio', user, window, filled, moved],
    queryFn: ({ signal }) => reader.info.portfolio({ user, window }, { signal }),
    enabled: filled !== false && moved !== false,
    placeholderData: (before) => before,
    refetchInterval: everyMs,
  });
  const ledger = ledgerLists.use(user, ({ rows }) => rows);
  const known = useMemo(
    () =>
      knownWindow(data, { rows: ledger, isWhole: moved !== false && ledger.length < WHOLE_BELOW }),
    [data, ledger, moved],
  );
  const worth = useWorth(user);
  const points = useMemo(() => upToNow(known.points, worth, ledger), [known, worth, ledger]);
  return { data, known, points, now: points.at(-1) };
}

function changeOf(row: LedgerUpdate | undefined): string {
  if (row === undefined) return '';
  const { delta } = row;
  return `${ledgerId(row)} ${delta.type === 'withdraw' ? delta.status : ''}`;
}

function useWorth(user: string): string | undefined {
  const of = (accountType: 'perp' | 'outcome') =>
    accountStates.use({ user, accountType }, ({ state }) => state?.accountValuePlusWithdrawHold);
  const [perp, outcome] = [of('perp'), of('outcome')];
  return perp === undefined || outcome === undefined ? undefined : add(perp, outcome);
}

const WHOLE_BELOW = 200;

export function beginningOf(ledger: readonly LedgerUpdate[]): PortfolioPoint | undefined {
  const first = ledger.length < WHOLE_BELOW ? ledger.at(-1) : undefined;
  if (first === undefined) return undefined;
  const { delta, time } = first;
  if (delta.type !== 'faucet' && delta.type !== 'deposit' && delta.type !== 'receive') {
    return undefined;
  }
  const nothing = { pnl: '0', volume: '0', fees: '0', funding: '0' };
  return { time, accountValue: delta.amount, ...nothing };
}

export function sinceBegun(
  points: readonly PortfolioPoint[],
  beginning: PortfolioPoint | undefined,
): readonly PortfolioPoint[] {
  const [first] = points;
  if (first === undefined) return points;
  if (beginning !== undefined) {
    if (beginning.time <= first.time) return points;
    return [beginning, ...points.filter(({ time }) => time > beginning.time)];
  }
  const funded = points.findIndex(({ accountValue }) => sign(accountValue) !== 0);
  return funded < 0 ? [] : points.slice(funded);
}

/**
 * Extends the curve by the profit, deposits and withdrawals since the response, which is a few
 * seconds old.
 */
export function upToNow(
  points: readonly PortfolioPoint[],
  worth: string | undefined,
  ledger: readonly LedgerUpdate[],
): readonly PortfolioPoint[] {
  const last = points.at(-1);
  if (last === undefined || worth === undefined) return points;
  const moved = movesOf(ledger).filter(({ time }) => time > last.time);
  const came = sum(moved.map(({ amount }) => amount));
  const pnl = subtract(add(last.pnl, subtract(worth, last.accountValue)), came);
  return [...points.slice(0, -1), { ...last, accountValue: worth, pnl }];
}

export type CurvePoint = Pick<PortfolioPoint, 'time' | 'accountValue' | 'pnl'>;

type Move = { readonly time: number; readonly amount: string };

const DECIMALS = 6;

/** Adds a step for each deposit and withdrawal. Profit between two points is distributed evenly. */
export function withSteps(
  points: readonly CurvePoint[],
  ledger: readonly LedgerUpdate[],
): readonly CurvePoint[] {
  const moves = movesOf(ledger);
  return points.flatMap((to, at) => {
    const from = points[at - 1];
    return from === undefined ? [to] : [...stepsBetween(from, to, moves), to];
  });
}

function stepsBetween(
  from: CurvePoint,
  to: CurvePoint,
  moves: readonly Move[],
): readonly CurvePoint[] {
  const won = subtract(to.pnl, from.pnl);
  const moved = subtract(subtract(to.accountValue, from.accountValue), won);
  if (sign(moved) === 0) return [];
  const between = moves.filter(({ time }) => time > from.time && time <= to.time);
  const isWhole = sign(subtract(sum(between.map(({ amount }) => amount)), moved)) === 0;
  let before = from.accountValue;
  let last = from.time;
  return (isWhole ? between : [{ time: to.time, amount: moved }]).flatMap(({ amount, time }) => {
    const part = ((time - from.time) / (to.time - from.time)).toFixed(DECIMALS);
    const wonThen = roundTo(multiply(won, part), DECIMALS);
    const pnl = add(from.pnl, wonThen);
    const value = add(before, wonThen);
    before = add(before, amount);
    const hasRoom = time - 1 > last;
    last = time;
    return [
      ...(hasRoom ? [{ time: time - 1, accountValue: value, pnl }] : []),
      ...(time < to.time ? [{ time, accountValue: add(value, amount), pnl }] : []),
    ];
  });
}

function movesOf(ledger: readonly LedgerUpdate[]): readonly Move[] {
  const amounts = new Map<number, string>();
  for (const { amount, time } of ledger.flatMap(moveOf)) {
    amounts.set(time, add(amounts.get(time) ?? '0', amount));
  }
  return [...amounts]
    .map(([time, amount]) => ({ time, amount }))
    .toSorted((left, right) => left.time - right.time);
}

function moveOf({ delta, time }: LedgerUpdate): readonly Move[] {
  switch (delta.type) {
    case 'faucet':
    case 'deposit':
    case 'receive':
    case 'builderRewardsClaim':
      return [{ time, amount: delta.amount }];
    case 'send':
      return [{ time, amount: negate(delta.amount) }];
    case 'withdraw':
      return delta.status === 'completed' ? [{ time, amount: negate(delta.amount) }] : [];
    default:
      return [];
  }
}

type KnownWindow = {
  readonly points: readonly PortfolioPoint[];
  readonly sinceMs: number | undefined;
};

const NOTHING_KNOWN: KnownWindow = { points: [], sinceMs: undefined };

/**
 * Adjusts the totals of a window. If the ledger no longer contains all deposits, the totals start
 * with the first known value.
 */
export function knownWindow(
  portfolio: Pick<Portfolio, 'deposits' | 'points' | 'window'> | undefined,
  ledger: { readonly rows: readonly LedgerUpdate[]; readonly isWhole: boolean },
): KnownWindow {
  if (portfolio === undefined) return NOTHING_KNOWN;
  const { deposits, points } = portfolio;
  const whole = { points, sinceMs: undefined };
  const start = points.findIndex(({ accountValue }) => sign(accountValue) !== 0);
  const first = points[start];
  if (portfolio.window === 'all' || start <= 0 || first === undefined || !ledger.isWhole)
    return whole;
  const came = sum(
    movesOf(ledger.rows).flatMap(({ amount }) => (sign(amount) > 0 ? [amount] : [])),
  );
  if (!isDecimal(deposits) || compare(deposits, came) <= 0) return whole;
  return {
    sinceMs: first.time,
    points: points.slice(start).map((point) => ({
      ...point,
      pnl: subtract(point.pnl, first.pnl),
      volume: subtract(point.volume, first.volume),
      fees: subtract(point.fees, first.fees),
      funding: subtract(point.funding, first.funding),
    })),
  };
}
