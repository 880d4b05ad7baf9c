import type { SubscriptionFields } from '@oddlot/protocol';
import type { SocketError } from '../errors.ts';

/** Names a subscription: two that mean the same have one name. An error where the venue would refuse it. */
export type SubscriptionKey = (subscription: SubscriptionFields) => string | SocketError;

/** By its text alone, the keys in order: enough where one program writes all subscriptions alike. */
export const plainKey: SubscriptionKey = (subscription) =>
  JSON.stringify(Object.entries(subscription).sort(([a], [b]) => (a < b ? -1 : 1)));
