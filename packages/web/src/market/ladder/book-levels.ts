import type { Level } from '@oddlot/sdk';
import { add, compare, divide, multiply, onStep, subtract } from '../../lib/decimal.ts';

/** A level as the panel shows it: with all that stands before it. */
export type DepthLevel = {
  readonly price: string;
  readonly size: string;
  readonly total: string;
  readonly value: string;
};

/** Both halves of a panel need both sides, at every drawing: each is summed up once. */
const sums = new WeakMap<readonly Level[], readonly DepthLevel[]>();

/** The first levels of a side, best first, summed up. */
export function summedUp(levels: readonly Level[], count: number): readonly DepthLevel[] {
  const known = sums.get(levels) ?? allSummedUp(levels);
  sums.set(levels, known);
  return known.slice(0, count);
}

function allSummedUp(levels: readonly Level[]): readonly DepthLevel[] {
  let [total, value] = ['0', '0'];
  return levels.map(({ px, sz }) => {
    total = add(total, sz);
    value = add(value, multiply(px, sz));
    return { price: px, size: sz, total, value };
  });
}

export function averageOf({ total, value }: DepthLevel): string {
  return divide(value, total) ?? '0';
}

type Spread = { readonly inTicks: string; readonly inBasisPoints: string };

/** The way between the best prices, in ticks and in hundredths of a percent of the middle. */
export function spreadOf(
  bid: string | undefined,
  ask: string | undefined,
  tick: string,
): Spread | undefined {
  if (bid === undefined || ask === undefined) return undefined;
  const width = subtract(ask, bid);
  const middle = divide(add(ask, bid), '2') ?? '0';
  const share = divide(multiply(width, '10000'), middle, 4);
  const inTicks = divide(width, tick, 0);
  return share === undefined || inTicks === undefined
    ? undefined
    : { inTicks, inBasisPoints: share };
}

/** The levels of a grouped book that hold orders of these prices: bids are grouped down, asks up. */
export function levelsOf(
  prices: readonly string[],
  side: 'bid' | 'ask',
  tick: string,
): ReadonlySet<string> {
  return new Set(
    prices.map((price) => {
      const below = onStep(price, tick, 'down');
      return side === 'bid' || compare(below, price) === 0 ? below : add(below, tick);
    }),
  );
}
