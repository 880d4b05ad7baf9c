import { DUMP_VERSION } from '../messages/versions.ts';
import type { StateDump } from './dump.ts';
import {
  type Format1Outcomes,
  type Format1Perp,
  outcomesFromFormat1,
  perpFromFormat1,
} from './format-1-markets.ts';

/**
 * What release 0.1.0 wrote (rules 1): today's shape without what has come since. Each area that adds a
 * field to the dump leaves it out here and gives it its value for an old venue below.
 */
export type Format1Dump = Omit<StateDump, 'format' | 'perps' | 'outcomes'> & {
  readonly format: 2;
  readonly perps: readonly Format1Perp[];
  readonly outcomes: Format1Outcomes;
};

/** Brings a dump of rules 1 to today's shape. Pure: it alone decides from which state an era starts (R-era). */
export function fromFormat1(dump: Format1Dump): StateDump {
  return {
    ...dump,
    format: DUMP_VERSION,
    perps: dump.perps.map((perp) => perpFromFormat1(perp, dump.parameters)),
    outcomes: outcomesFromFormat1(dump.outcomes),
  };
}
