import type { StateDump } from './dump.ts';
import { addOrderFields, type OrdersFormat1 } from './orders-from-format-1.ts';

/** What the first release wrote: today's shape without what has come since. */
export type Format1Dump = OrdersFormat1<StateDump>;

/** Brings a dump of the first release to today's shape; each area adds its own part. */
export function fromFormat1(dump: Format1Dump): StateDump {
  return addOrderFields(dump);
}
