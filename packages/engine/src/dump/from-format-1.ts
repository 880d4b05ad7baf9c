import type { VenueParameters } from '../messages/parameters.ts';
import type { StateDump } from './dump.ts';

/** What the first release wrote: today's shape without what has come since. */
export type Format1Dump = Omit<StateDump, 'fundUnwindBands' | 'parameters'> & {
  readonly parameters: Omit<VenueParameters, 'insuranceUnwindStepE8'> | null;
};

/** Brings a dump of the first release to today's shape; each area adds its own part. */
export function fromFormat1(dump: Format1Dump): StateDump {
  return addFundFields(dump);
}

/** R-insurance-fund: every position of the fund starts its unwinding with the first step, 0.1%. */
function addFundFields(dump: Format1Dump): StateDump {
  const { parameters } = dump;
  return {
    ...dump,
    parameters: parameters === null ? null : { insuranceUnwindStepE8: 100_000, ...parameters },
    fundUnwindBands: [],
  };
}
