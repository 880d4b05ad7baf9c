import type { L2Book, Level } from '@oddlot/protocol';
import { formatDecimal, parseExact, present } from '@oddlot/units';

/**
 * Prices, sizes and steps are computed as integers with this many decimals, which is more than any
 * of them has.
 */
const DECIMALS = 18;

/**
 * The aggregation that a client requests for a book. For the finest levels, its fields are
 * undefined.
 */
export type Aggregation = {
  readonly nSigFigs?: number | null | undefined;
  readonly mantissa?: number | null | undefined;
};

function exact(text: string): bigint {
  return present(parseExact(text, DECIMALS), 'a decimal text of the venue');
}

/** Returns the price step near a price, or undefined if there is no aggregation or no price. */
export function stepOf({ mantissa, nSigFigs }: Aggregation, px: string | null): bigint | undefined {
  if (nSigFigs === undefined || nSigFigs === null || px === null || px === '') return undefined;
  const magnitude = String(exact(px)).length;
  const zeros = magnitude - nSigFigs;
  return zeros < 0 ? undefined : BigInt(mantissa ?? 1) * 10n ** BigInt(zeros);
}

/**
 * Returns the venue's coarsest step that divides the requested one, so that most levels are
 * complete.
 */
export function tickFor(step: bigint | undefined, bookTicks: readonly string[]): string {
  if (step === undefined) return '';
  const dividing = bookTicks.filter((tick) => step % exact(tick) === 0n);
  return dividing.toSorted((a, b) => (exact(a) < exact(b) ? 1 : -1))[0] ?? '';
}

/** Returns the book with prices rounded to multiples of the step: bids down and asks up. */
export function bookOf(coin: string, { levels, time }: L2Book, step: bigint | undefined): object {
  const [bids, asks] = levels;
  if (step === undefined) return { coin, time, levels: [bids, asks] };
  return { coin, time, levels: [joined(bids, step, false), joined(asks, step, true)] };
}

function joined(levels: readonly Level[], step: bigint, isUp: boolean): Level[] {
  const sums = new Map<bigint, { size: bigint; n: number }>();
  for (const { n, px, sz } of levels) {
    const price = exact(px);
    const below = (price / step) * step;
    const at = isUp && below < price ? below + step : below;
    const sum = sums.get(at) ?? { size: 0n, n: 0 };
    sums.set(at, { size: sum.size + exact(sz), n: sum.n + n });
  }
  return [...sums].map(([at, { n, size }]) => ({
    px: formatDecimal(at, DECIMALS),
    sz: formatDecimal(size, DECIMALS),
    n,
  }));
}
