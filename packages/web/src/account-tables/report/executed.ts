import type { OrderReport } from '@oddlot/sdk';
import { compare, subtract, sum } from '../../lib/decimal.ts';

/** What a report tells by adding up its parts. */

/** A level that an order met when it came, and what it got there. */
export type TakenLevel = {
  readonly px: string;
  /** What rested there when the order got to it. */
  readonly rested: string;
  /** Undefined where the report no longer has all fills: those that took are the oldest, and left out first. */
  readonly taken:
    | { readonly sz: string; readonly fee: string; readonly builderFee: string }
    | undefined;
};

/** Best first. An amend may take too, later and from other levels: that is among the fills alone. */
export function takenLevels(report: OrderReport): readonly TakenLevel[] {
  const { arrival, entered, fills } = report;
  const isWhole = hasAllFills(report);
  const atOnce = fills.filter(({ height, role }) => role === 'taker' && height === entered?.height);
  return (arrival?.met ?? []).map(({ px, sz: rested }) => {
    if (!isWhole) return { px, rested, taken: undefined };
    const own = atOnce.filter((fill) => compare(fill.px, px) === 0);
    const taken = {
      sz: sum(own.map(({ sz }) => sz)),
      fee: sum(own.map(({ fee }) => fee)),
      builderFee: sum(own.map(({ builderFee }) => builderFee)),
    };
    return { px, rested, taken };
  });
}

/** Whether the fills that are listed are all that there were. */
export function hasAllFills({ filledSz, fills }: OrderReport): boolean {
  return compare(sum(fills.map(({ sz }) => sz)), filledSz) === 0;
}

/** How long it waited between the door and the book; undefined while it has not come there. */
export function waitedMs({ entered, received }: OrderReport): number | undefined {
  return entered === null ? undefined : entered.time - received.time;
}

/** How much of what was in front of it has gone; undefined where the queue was too long to count. */
export function goneAhead({ resting }: OrderReport): string | undefined {
  if (resting === null || resting.aheadAtStart === null || resting.ahead === null) return undefined;
  return subtract(resting.aheadAtStart, resting.ahead);
}
