import type { parseSubscription, Subscription } from '@oddlot/protocol';
import type { Identity, Opening } from './channel-session.ts';
import type { Opening as ChannelOpening } from './channels/node-channel.ts';

/** Opens a subscription by whoever knows its channel; undefined says that nobody does yet. */
export function openingOf(
  parsed: ReturnType<typeof parseSubscription>,
  open: (subscription: Subscription) => ChannelOpening | undefined,
): Opening {
  if (!parsed.ok) return parsed;
  const { subscription } = parsed;
  const opening = open(subscription);
  if (opening === undefined) return notServed(subscription);
  if (opening.ok) return { ...opening, key: subscription.key };
  const { message, details } = opening;
  const error = { code: 'INVALID_PARAMS', message } as const;
  return { ok: false, error: details?.allowed === undefined ? error : { ...error, details } };
}

/** What a subscription is known by, whatever has become of what it names. */
export function identityOf(parsed: ReturnType<typeof parseSubscription>): Identity {
  return parsed.ok ? { ok: true, key: parsed.subscription.key } : parsed;
}

function notServed({ channel }: Subscription): Opening {
  const message = `Channel is not served yet: ${channel}`;
  return { ok: false, error: { code: 'UNKNOWN_CHANNEL', message } };
}
