import { isDecimalText } from '@oddlot/units';
import { LIMITS } from '../limits.ts';
import type { ActionOf } from './registry.ts';

/**
 * The commonest action by far, limit orders without extras, recognised without the schema: most of
 * what a venue reads is this, and a general validator costs more here than signing it off does in the
 * engine. Whatever is unusual or wrong is left to the schema, which decides and explains; a test
 * holds the two against each other.
 */
export function readPlainOrder(value: Readonly<Record<string, unknown>>): OrderAction | undefined {
  const { builder, grouping, orders, type } = value;
  if (type !== 'order' || grouping !== 'na' || builder !== undefined) return undefined;
  if (!Array.isArray(orders) || orders.length === 0 || orders.length > LIMITS.ordersMax) {
    return undefined;
  }
  const read: PlainOrder[] = [];
  for (const each of orders as unknown[]) {
    const order = readOrder(each);
    if (order === undefined) return undefined;
    read.push(order);
  }
  return { type, grouping, orders: read };
}

type OrderAction = ActionOf<'order'>;
type PlainOrder = OrderAction['orders'][number];
type PlainTif = 'Gtc' | 'Alo' | 'Ioc' | 'FrontendMarket';

const UINT32_MAX = 0xffff_ffff;

function readOrder(value: unknown): PlainOrder | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { a, b, c, m, p, r, s, t } = value as Readonly<Record<string, unknown>>;
  if (typeof b !== 'boolean' || typeof r !== 'boolean' || m !== undefined) return undefined;
  if (typeof p !== 'string' || typeof s !== 'string') return undefined;
  if (!isDecimalText(p) || !isDecimalText(s)) return undefined;
  if (typeof a !== 'number' || !Number.isInteger(a) || a < 0 || a > UINT32_MAX) return undefined;
  const tif = readTif(t);
  if (tif === undefined) return undefined;
  if (c === undefined) return { a, b, p, s, r, t: { limit: { tif } } };
  return typeof c === 'string' ? { a, b, p, s, r, t: { limit: { tif } }, c } : undefined;
}

function readTif(value: unknown): PlainTif | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { limit, trigger } = value as Readonly<Record<string, unknown>>;
  if (trigger !== undefined || typeof limit !== 'object' || limit === null) return undefined;
  const { expireTime, tif } = limit as Readonly<Record<string, unknown>>;
  if (expireTime !== undefined) return undefined;
  return tif === 'Gtc' || tif === 'Alo' || tif === 'Ioc' || tif === 'FrontendMarket'
    ? tif
    : undefined;
}
