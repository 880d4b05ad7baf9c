import { DUMP_VERSION } from '../messages/versions.ts';
import type { StateDump } from './dump.ts';

/**
 * What release 0.1.0 wrote (rules 1): today's shape without what has come since. Each area that adds a
 * field to the dump leaves it out here and gives it its value for an old venue below.
 */
export type Format1Dump = Omit<StateDump, 'format'> & { readonly format: 2 };

/** Brings a dump of rules 1 to today's shape. Pure: it alone decides from which state an era starts (R-era). */
export function fromFormat1(dump: Format1Dump): StateDump {
  return { ...dump, format: DUMP_VERSION };
}
