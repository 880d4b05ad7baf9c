import type { parseSubscription, Subscription } from '@oddlot/protocol';
import type { Opening } from './channel-session.ts';
import type { Opening as ChannelOpening } from './channels/node-channel.ts';

/** Opens a subscription by whoever knows its channel; undefined says that nobody does yet. */
export function openingOf(
  parsed: ReturnType<typeof parseSubscription>,
  sent: unknown,
  open: (subscription: Subscription) => ChannelOpening | undefined,
): Opening {
  if (!parsed.ok) return parsed;
  const { subscription } = parsed;
  const opening = open(subscription);
  if (opening === undefined) return notServed(subscription);
  if (opening.ok) return { ...opening, subscription: echoOf(subscription, sent) };
  return { ok: false, error: { code: 'INVALID_PARAMS', message: opening.message } };
}

function notServed({ channel }: Subscription): Opening {
  const message = `Channel is not served yet: ${channel}`;
  return { ok: false, error: { code: 'UNKNOWN_CHANNEL', message } };
}

/** What the client asked for in its normal spelling, without what it left to defaults. */
function echoOf({ channel, params }: Subscription, sent: unknown): object {
  const asked = sent as Readonly<Record<string, unknown>>;
  const named = Object.entries(params).filter(([name]) => Object.hasOwn(asked, name));
  const values = named.map(([name, value]) => [name, value ?? asked[name]]);
  return { type: channel, ...Object.fromEntries(values) };
}
