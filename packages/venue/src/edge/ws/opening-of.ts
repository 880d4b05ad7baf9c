import type { State } from '@oddlot/engine';
import type { parseSubscription, Subscription } from '@oddlot/protocol';
import type { Identity, Opening } from './channel-session.ts';
import { withInstrument } from '../../translate/instruments.ts';
import type { Opening as ChannelOpening } from './channels/node-channel.ts';
import type { WsError } from './ws-error.ts';

/** Opens a subscription by whoever knows its channel; undefined says that nobody does yet. */
export function openingOf(
  parsed: ReturnType<typeof parseSubscription>,
  state: State,
  open: (subscription: Subscription) => ChannelOpening | undefined,
): Opening {
  if (!parsed.ok) return { ok: false, error: shown(state, parsed.error) };
  const { subscription } = parsed;
  const opening = open(subscription);
  if (opening === undefined) return notServed(subscription);
  if (opening.ok) return { ...opening, key: subscription.key };
  const { message, details } = opening;
  const error = { code: 'INVALID_PARAMS', message } as const;
  return { ok: false, error: shown(state, details === undefined ? error : { ...error, details }) };
}

/** Details are told where there is something to choose from. */
function shown(state: State, { code, message, details }: WsError): WsError {
  const told = withInstrument(state, details ?? {}, 'text');
  return told.allowed === undefined ? { code, message } : { code, message, details: told };
}

/** What a subscription is known by, whatever has become of what it names. */
export function identityOf(parsed: ReturnType<typeof parseSubscription>, state: State): Identity {
  if (parsed.ok) return { ok: true, key: parsed.subscription.key };
  return { ok: false, error: shown(state, parsed.error) };
}

function notServed({ channel }: Subscription): Opening {
  const message = `Channel is not served yet: ${channel}`;
  return { ok: false, error: { code: 'UNKNOWN_CHANNEL', message } };
}
