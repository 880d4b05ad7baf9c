import {
  type ChannelName,
  type ChannelParams,
  CHANNELS,
  parseSubscription,
  type StreamEndpoint,
} from '@oddlot/protocol';
import type { State } from '@oddlot/engine';
import type { AppliedBlock } from '@oddlot/replica/block';
import { withInstrument } from '@oddlot/translate/instruments';
import type { ChannelSet, Identity, Opening } from './channel-session.ts';
import { ACCOUNT_STATE_CHANNELS } from './channels/account-state-channel.ts';
import { BOOK_CHANNELS } from './channels/book-channels.ts';
import { EXPLORER_CHANNELS } from './channels/explorer.ts';
import { MARKET_CHANNELS } from './channels/market-channels.ts';
import type { ChannelContext, NodeChannel } from './channels/node-channel.ts';
import { OUTCOME_BBO_CHANNELS, OUTCOME_RELEASE_CHANNELS } from './channels/outcome-channels.ts';
import { TRADE_CHANNELS } from './channels/trades-channel.ts';
import { ORDER_UPDATE_CHANNELS } from './channels/user-event-channel.ts';
import { USER_HISTORY_CHANNELS } from './channels/user-history.ts';
import type { WsError } from './frame.ts';

/** Channels process a block in this order: event channels first, then channels of derived data. */
const CHANNEL_FACTORIES = {
  ...EXPLORER_CHANNELS,
  ...OUTCOME_RELEASE_CHANNELS,
  ...TRADE_CHANNELS,
  ...ORDER_UPDATE_CHANNELS,
  ...ACCOUNT_STATE_CHANNELS,
  ...BOOK_CHANNELS,
  ...OUTCOME_BBO_CHANNELS,
  ...MARKET_CHANNELS,
  ...USER_HISTORY_CHANNELS,
} as const satisfies {
  readonly [Name in ChannelName]: (context: ChannelContext) => NodeChannel<ChannelParams<Name>>;
};

/** The channels of one endpoint. They are opened by subscribers and updated by every block. */
export class Channels implements ChannelSet {
  readonly #endpoint: StreamEndpoint;
  readonly #context: ChannelContext;
  readonly #channels: ReadonlyMap<string, NodeChannel<never>>;

  constructor(endpoint: StreamEndpoint, context: ChannelContext) {
    this.#endpoint = endpoint;
    this.#context = context;
    this.#channels = new Map(
      Object.entries(CHANNEL_FACTORIES)
        .filter(([name]) => Object.hasOwn(CHANNELS[endpoint], name))
        .map(([name, create]) => [name, create(context)]),
    );
  }

  open(value: unknown): Opening {
    const state = this.#context.state();
    const parsed = parseSubscription(this.#endpoint, value);
    if (!parsed.ok) return { ok: false, error: shown(state, parsed.error) };
    const { channel, key, params } = parsed.subscription;
    const opening = this.#channels.get(channel)?.open(params as never);
    if (opening === undefined) throw new Error(`no channel: ${channel}`);
    if (opening.ok) return { ...opening, key };
    const { message, details } = opening;
    const error = { code: 'INVALID_PARAMS', message } as const;
    return {
      ok: false,
      error: shown(state, details === undefined ? error : { ...error, details }),
    };
  }

  /** Returns the identity of a subscription, even if its instrument no longer exists. */
  identify(value: unknown): Identity {
    const parsed = parseSubscription(this.#endpoint, value);
    if (parsed.ok) return { ok: true, key: parsed.subscription.key };
    return { ok: false, error: shown(this.#context.state(), parsed.error) };
  }

  onBlock(block: AppliedBlock): void {
    for (const channel of this.#channels.values()) channel.onBlock(block);
  }
}

/** Includes the details of a refusal if they help the client choose valid parameters. */
function shown(state: State, { code, message, details }: WsError): WsError {
  const hint = withInstrument(state, details ?? {}, 'text');
  return hint.allowed === undefined ? { code, message } : { code, message, details: hint };
}
