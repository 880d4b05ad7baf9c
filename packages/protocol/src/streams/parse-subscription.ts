import type * as z from 'zod';
import type { Details, WireError } from '../errors.ts';
import { refusal } from '../refusal.ts';
import { nearestName } from '../nearest-name.ts';
import { toWireError } from '../to-wire-error.ts';
import { CHANNELS, type ChannelName, type ChannelParams, type StreamEndpoint } from './channels.ts';

/** A parsed subscription; `key` is equal for equal wishes and names the stream. */
export type Subscription = {
  [Name in ChannelName]: {
    readonly channel: Name;
    readonly params: ChannelParams<Name>;
    readonly key: string;
  };
}[ChannelName];

/** Why a subscription was refused, as an error frame says it. */
type SubscriptionFault = {
  readonly code: 'INVALID_PARAMS' | 'UNKNOWN_CHANNEL';
  readonly message: string;
  /** The fault and what would be right, as /info tells it. */
  readonly details?: Details;
};

/** Reads the `subscription` of a control frame. */
export function parseSubscription(
  endpoint: StreamEndpoint,
  value: unknown,
):
  | { readonly ok: true; readonly subscription: Subscription }
  | { readonly ok: false; readonly error: SubscriptionFault } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid(refusal('missingField', ['subscription'], { field: 'subscription' }));
  }
  const type = (value as { readonly type?: unknown }).type;
  if (type === undefined) return invalid(refusal('missingField', ['type'], { field: 'type' }));
  if (typeof type !== 'string') return invalid(refusal('wrongType', ['type'], { field: 'type' }));
  const channels: Readonly<Record<string, z.ZodType>> = CHANNELS[endpoint];
  const schema = Object.hasOwn(channels, type) ? channels[type] : undefined;
  if (schema === undefined) {
    return { ok: false, error: unknownChannel(endpoint, type) };
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) return invalid(toWireError(parsed.error.issues, value));
  const params = parsed.data as Readonly<Record<string, unknown>>;
  const subscription = { channel: type, params, key: keyOf(type, params) } as Subscription;
  return { ok: true, subscription };
}

function invalid({ message, details }: WireError): { ok: false; error: SubscriptionFault } {
  const error = { code: 'INVALID_PARAMS', message } as const;
  return { ok: false, error: details === undefined ? error : { ...error, details } };
}

/** With the channels that there are, and the one that may be meant, here or on the other socket. */
function unknownChannel(endpoint: StreamEndpoint, type: string): SubscriptionFault {
  const allowed = Object.keys(CHANNELS[endpoint]);
  const other = endpoint === 'ws' ? 'api-ws' : 'ws';
  const near = Object.hasOwn(CHANNELS[other], type)
    ? `${type} of /${other}`
    : nearestName(type, allowed);
  const page = 'all channels are in /docs/streams';
  const why = near === undefined ? page : `here it is ${near}; ${page}`;
  const message = `Unknown channel: ${type}`;
  return {
    code: 'UNKNOWN_CHANNEL',
    message,
    details: { field: 'type', got: type, allowed, why },
  };
}

/** The schemas fix the order of the fields, so equal parameters have equal texts. */
function keyOf(channel: string, params: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(params).filter(([, value]) => value !== undefined);
  return set.length === 0 ? channel : `${channel}:${JSON.stringify(Object.fromEntries(set))}`;
}
