import { parseSubscription, type Subscription } from '@oddlot/protocol';
import type { AppliedBlock, Replica } from '../../replica/replica.ts';
import type { ChannelSet, Opening } from './channel-session.ts';
import { AccountStateChannel } from './channels/account-state.ts';
import { AssetContextChannel } from './channels/asset-context.ts';
import { BookChannel } from './channels/book.ts';
import { FundingsChannel } from './channels/fundings.ts';
import type {
  ChannelContext,
  NodeChannel,
  Opening as ChannelOpening,
} from './channels/node-channel.ts';
import { OrderUpdatesChannel } from './channels/order-updates.ts';
import { TradesChannel } from './channels/trades.ts';

/** The channels of /ws: each is opened by its subscribers and fed by every block. */
export class NodeChannels implements ChannelSet {
  readonly #trades: TradesChannel;
  readonly #orderUpdates: OrderUpdatesChannel;
  readonly #accountState: AccountStateChannel;
  readonly #fundings: FundingsChannel;
  readonly #book: BookChannel;
  readonly #assetContext: AssetContextChannel;
  #closed = false;

  constructor(
    replica: Pick<Replica, 'state' | 'onBlock'>,
    pacing: Pick<ChannelContext, 'limits' | 'timing'>,
  ) {
    const context: ChannelContext = { ...pacing, state: () => replica.state };
    this.#trades = new TradesChannel(context);
    this.#orderUpdates = new OrderUpdatesChannel(context);
    this.#accountState = new AccountStateChannel(context);
    this.#fundings = new FundingsChannel(context);
    this.#book = new BookChannel(context);
    this.#assetContext = new AssetContextChannel(context);
    replica.onBlock((block) => {
      if (!this.#closed) this.#feed(block);
    });
  }

  open(value: unknown): Opening {
    const parsed = parseSubscription('ws', value);
    if (!parsed.ok) return parsed;
    const { subscription } = parsed;
    const opening = this.#openChannel(subscription);
    if (opening === undefined) return notServed(subscription);
    if (opening.ok) return { ...opening, subscription: echoOf(subscription, value) };
    return { ok: false, error: { code: 'INVALID_PARAMS', message: opening.message } };
  }

  /** What rides along in snapshots: the memory that replayed blocks would not bring back. */
  dump(): unknown {
    return { trades: this.#trades.dump(), fundings: this.#fundings.dump() };
  }

  restore(data: unknown): void {
    // The first snapshots held the trades alone.
    if (Array.isArray(data)) {
      this.#trades.restore(data);
      return;
    }
    const { trades, fundings } = data as { readonly trades: unknown; readonly fundings: unknown };
    this.#trades.restore(trades);
    this.#fundings.restore(fundings);
  }

  /** Blocks are no longer followed. */
  close(): void {
    this.#closed = true;
  }

  #openChannel(subscription: Subscription): ChannelOpening | undefined {
    switch (subscription.channel) {
      case 'trades':
        return this.#trades.open(subscription.params);
      case 'orderUpdates':
        return this.#orderUpdates.open(subscription.params);
      case 'userFundings':
        return this.#fundings.open(subscription.params);
      case 'clearinghouseState':
        return this.#accountState.open(subscription.params);
      case 'l2Book':
        return this.#book.open(subscription.params);
      case 'activeAssetCtx':
        return this.#assetContext.open(subscription.params);
      default:
        return undefined;
    }
  }

  /** First what happened, then what it led to. */
  #feed(block: AppliedBlock): void {
    const inOrder: readonly NodeChannel<never>[] = [
      this.#trades,
      this.#orderUpdates,
      this.#fundings,
      this.#accountState,
      this.#book,
      this.#assetContext,
    ];
    for (const channel of inOrder) channel.onBlock(block);
  }
}

/** The channels of /api-ws. Their names are known; none is served yet. */
export const API_CHANNELS: ChannelSet = {
  open(value) {
    const parsed = parseSubscription('api-ws', value);
    return parsed.ok ? notServed(parsed.subscription) : parsed;
  },
};

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
