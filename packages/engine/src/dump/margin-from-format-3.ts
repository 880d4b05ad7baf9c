import type { VenueParameters } from '../messages/parameters.ts';
import type { StateDump } from './dump.ts';

type PerpDump = StateDump['perps'][number];

/** Parts of rules 2 that margin and liquidation need more of today. */
export type MarginFormat3 = {
  readonly parameters: Omit<
    VenueParameters,
    'insuranceHourE8' | 'insuranceInstrumentHourE8'
  > | null;
  readonly perps: readonly (Omit<PerpDump, 'mark'> & {
    readonly mark: readonly [price: number, computedMs: number];
  })[];
};

/**
 * R-order-of-events: nobody remembers what an old venue judged last, so it is the mark that it has.
 * R-insurance-fund: nothing was counted against its hour, and the bounds are those of a new venue.
 */
export function addMarginFields({
  parameters,
  perps,
}: MarginFormat3): Pick<StateDump, 'parameters' | 'perps' | 'fundCosts'> {
  return {
    parameters:
      parameters === null
        ? null
        : { ...parameters, insuranceHourE8: 10_000_000, insuranceInstrumentHourE8: 5_000_000 },
    perps: perps.map((perp) => {
      const [price, computedMs] = perp.mark;
      return { ...perp, mark: [price, computedMs, price] };
    }),
    fundCosts: [],
  };
}
