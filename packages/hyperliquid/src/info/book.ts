import type { L2Book, Level } from '@oddlot/protocol';
import { formatDecimal, parseExact, present } from '@oddlot/units';

/** Books, and their aggregation to a number of significant figures. */

/** Prices, sizes and steps as integers with more decimals than any of them has. */
const DECIMALS = 18;

/** How a client wants a book aggregated; undefined for the finest levels. */
export type Aggregation = {
  readonly nSigFigs?: number | null | undefined;
  readonly mantissa?: number | null | undefined;
};

function exact(text: string): bigint {
  return present(parseExact(text, DECIMALS), 'a decimal text of the venue');
}

/** The price step near a price; undefined without aggregation or price. */
export function stepOf({ mantissa, nSigFigs }: Aggregation, px: string | null): bigint | undefined {
  if (nSigFigs === undefined || nSigFigs === null || px === null || px === '') return undefined;
  const magnitude = String(exact(px)).length;
  const zeros = magnitude - nSigFigs;
  return zeros < 0 ? undefined : BigInt(mantissa ?? 1) * 10n ** BigInt(zeros);
}

/** The coarsest step of the venue that divides the wanted one, so that most levels are complete. */
export function tickFor(step: bigint | undefined, bookTicks: readonly string[]): string {
  if (step === undefined) return '';
  const dividing = bookTicks.filter((tick) => step % exact(tick) === 0n);
  return dividing.toSorted((a, b) => (exact(a) < exact(b) ? 1 : -1))[0] ?? '';
}

/** The book with levels on multiples of the step: bids rounded down, asks rounded up. */
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
