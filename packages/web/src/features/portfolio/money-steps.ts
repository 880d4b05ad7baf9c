import type { LedgerUpdate, PortfolioPoint } from '@oddlot/sdk';
import { add, multiply, negate, roundTo, sign, subtract, sum } from '../../lib/decimal.ts';

/** What a curve is drawn through. */
export type CurvePoint = Pick<PortfolioPoint, 'time' | 'accountValue' | 'pnl'>;

type Move = { readonly time: number; readonly amount: string };

/** Decimals of an amount, and of how far a time lies between two others. */
const DECIMALS = 6;

/**
 * The value of an account steps when money comes or goes: a slope would read as something won. Points stand minutes
 * or hours apart, so the time of a step is that of its row in the ledger; where no row tells it, it is the later point's.
 * What was won or lost between two points is spread evenly, and its own curve has no steps.
 */
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
  const told = moves.filter(({ time }) => time > from.time && time <= to.time);
  const isWhole = sign(subtract(sum(told.map(({ amount }) => amount)), moved)) === 0;
  let before = from.accountValue;
  let last = from.time;
  return (isWhole ? told : [{ time: to.time, amount: moved }]).flatMap(({ amount, time }) => {
    const part = ((time - from.time) / (to.time - from.time)).toFixed(DECIMALS);
    const wonThen = roundTo(multiply(won, part), DECIMALS);
    const pnl = add(from.pnl, wonThen);
    const value = add(before, wonThen);
    before = add(before, amount);
    // The times of a chart are all different.
    const hasRoom = time - 1 > last;
    last = time;
    return [
      ...(hasRoom ? [{ time: time - 1, accountValue: value, pnl }] : []),
      ...(time < to.time ? [{ time, accountValue: add(value, amount), pnl }] : []),
    ];
  });
}

/** Oldest first, one for each time. */
export function movesOf(ledger: readonly LedgerUpdate[]): readonly Move[] {
  const amounts = new Map<number, string>();
  for (const { amount, time } of ledger.flatMap(moveOf)) {
    amounts.set(time, add(amounts.get(time) ?? '0', amount));
  }
  return [...amounts]
    .map(([time, amount]) => ({ time, amount }))
    .toSorted((left, right) => left.time - right.time);
}

/** What a row of the ledger brought to the account from outside, or took out of it. */
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
