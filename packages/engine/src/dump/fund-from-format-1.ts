import type { VenueParameters } from '../messages/parameters.ts';
import type { StateDump } from './dump.ts';

/** A dump whose insurance fund is that of the first release. */
export type FundFormat1<Dump extends Pick<StateDump, 'fundUnwindBands' | 'parameters'>> = Omit<
  Dump,
  'fundUnwindBands' | 'parameters'
> & { readonly parameters: Omit<VenueParameters, 'insuranceUnwindStepE8'> | null };

/**
 * R-insurance-fund: what the fund holds is offered 0.1% from the mark first, like what it takes later.
 * The band of the first release, 1%, is where it ends.
 */
export function addFundFields<Dump extends Pick<StateDump, 'fundUnwindBands' | 'parameters'>>(
  dump: FundFormat1<Dump>,
): Dump {
  const { parameters } = dump;
  const complete = {
    ...dump,
    parameters: parameters === null ? null : { ...parameters, insuranceUnwindStepE8: 100_000 },
    fundUnwindBands: [],
  };
  return complete as unknown as Dump;
}
