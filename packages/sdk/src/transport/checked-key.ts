import { parseSubscription, type StreamEndpoint } from '@oddlot/protocol';
import { SocketError } from '../errors.ts';
import type { SubscriptionKey } from './subscription-key.ts';

/** By what it means to the venue: addresses in any case, ids in any order, defaults sent or left out. */
export function checkedKey(endpoint: StreamEndpoint): SubscriptionKey {
  return (subscription) => {
    const parsed = parseSubscription(endpoint, subscription);
    if (parsed.ok) return parsed.subscription.key;
    return new SocketError(parsed.error.message, { code: parsed.error.code });
  };
}
