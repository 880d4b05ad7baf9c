import type { Counts } from '../checks/command-checker.ts';

/** Of a log of which nothing was derived. */
export const NOTHING: Readonly<Counts> = {
  derived: 0,
  signersRecovered: 0,
  signersSampledOut: 0,
  chainUnasked: 0,
  venuePrices: 0,
};

/** What had to be taken as it is, in words. */
export function believedCounts(
  { chainUnasked, venuePrices }: Readonly<Counts>,
  earlierBlocks: number,
): string[] {
  const all: [count: number, what: string][] = [
    [venuePrices, 'prices that the venue brought by itself'],
    [chainUnasked, 'deposits, payouts and bridges: no chain was asked'],
    [earlierBlocks, 'blocks of earlier eras: applied by their own engine, and not derived'],
  ];
  return all.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []));
}
