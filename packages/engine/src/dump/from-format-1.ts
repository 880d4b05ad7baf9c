import { DUMP_VERSION } from '../messages/versions.ts';
import type { StateDump } from './dump.ts';
import { addMarketFields, type MarketsFormat1 } from './markets-from-format-1.ts';
import { addFundFields, type FundFormat1 } from './fund-from-format-1.ts';
import { addOrderFields, type OrdersFormat1 } from './orders-from-format-1.ts';

type Today = Omit<StateDump, 'format'> & { readonly format: 2 };

/**
 * What release 0.1.0 wrote (rules 1): today's shape without what has come since. Each area that adds a
 * field to the dump leaves it out in a type of its own and gives it its value for an old venue.
 */
export type Format1Dump = FundFormat1<OrdersFormat1<MarketsFormat1<Today>>>;

/** Brings a dump of rules 1 to today's shape. Pure: it alone decides from which state an era starts (R-era). */
export function fromFormat1(dump: Format1Dump): StateDump {
  const funded = addFundFields<OrdersFormat1<MarketsFormat1<Today>>>(dump);
  const ordered = addOrderFields<MarketsFormat1<Today>>(funded);
  return { ...addMarketFields<Today>(ordered), format: DUMP_VERSION };
}
