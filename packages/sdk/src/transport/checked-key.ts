import {
  API_WS_SHAPES,
  CHANNEL_DEFAULTS,
  checkShape,
  CLIENT_PAGE_LIMITS,
  WS_SHAPES,
  type StreamEndpoint,
  type SubscriptionFields,
} from '@oddlot/protocol';
import { SocketError } from '../errors.ts';
import { plainKey, type SubscriptionKey } from './stream.ts';

const SHAPES = { ws: WS_SHAPES, 'api-ws': API_WS_SHAPES } as const;

/**
 * Returns a function that checks a subscription and computes its key. Subscriptions that the venue
 * treats as equal have the same key: addresses in any case, ids in any order, and defaults sent or
 * omitted.
 */
export function checkedKey(endpoint: StreamEndpoint): SubscriptionKey {
  return (subscription) => {
    const { type } = subscription;
    const shape = SHAPES[endpoint][type];
    if (shape === undefined) {
      return new SocketError(`Unknown channel: ${type}`, { code: 'UNKNOWN_CHANNEL' });
    }
    const fault = checkShape(shape, subscription);
    if (fault !== undefined) return new SocketError(fault.message, { code: 'INVALID_PARAMS' });
    return plainKey(canonical(subscription));
  };
}

/**
 * Returns the canonical form of a subscription. It omits the exchange id, because the other fields
 * determine it.
 */
function canonical({ type, ...given }: SubscriptionFields): SubscriptionFields {
  const { exchangeId: _, exchange_id: __, ...rest } = given as Readonly<Record<string, unknown>>;
  const defaults = CHANNEL_DEFAULTS[type] ?? {};
  const fields: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined || value === '') continue;
    const isList = Array.isArray(defaults[name]) && !Array.isArray(value);
    fields[name] = spelled(isList ? [value] : value);
  }
  // The venue lowers any limit above the maximum, so all such limits are equal.
  if (type === 'recentTrades') {
    fields['limit'] = Math.min(Number(fields['limit']), CLIENT_PAGE_LIMITS.recentTrades.max);
  }
  return { ...fields, type } as SubscriptionFields;
}

function spelled(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map(spelled))].sort();
  if (typeof value !== 'string') return value;
  if (/^[0-9]+(\.[0-9]+)?$/.test(value)) {
    const [whole = '', fraction = ''] = value.split('.');
    const digits = fraction.replace(/0+$/, '');
    return `${whole.replace(/^0+(?=.)/, '')}${digits === '' ? '' : `.${digits}`}`;
  }
  const text = value.toLowerCase();
  // Only candle intervals have case-sensitive values.
  if (text === 'perps') return 'perp';
  return value === '1M' ? value : text;
}
