import {
  type OrderUpdate,
  parseSubscription,
  type Subscription,
  type UpdatedOutcomeOrder,
} from '@oddlot/protocol';
import type { AppliedBlock } from '@oddlot/replica/block';
import type { ChannelSet, Identity, Opening } from './channel-session.ts';
import { AccountStateChannel } from './channels/account-state-channel.ts';
import { AssetContextChannel, CandleChannel, TickersChannel } from './channels/market-channels.ts';
import { BookChannel, BookDiffsChannel } from './channels/book-channels.ts';
import { ExplorerBlockChannel, ExplorerTxsChannel } from './channels/explorer.ts';
import type {
  ChannelContext,
  NodeChannel,
  Opening as ChannelOpening,
} from './channels/node-channel.ts';
import {
  orderUpdates,
  outcomeOrderUpdates,
  UserEventChannel,
  type UserParams,
} from './channels/user-event-channel.ts';
import { OutcomeBbosChannel, OutcomeReleasesChannel } from './channels/outcome-channels.ts';
import {
  OutcomeTradesChannel,
  RecentTradesChannel,
  TradesChannel,
} from './channels/trades-channel.ts';
import {
  openUserHistory,
  USER_FILLS,
  USER_FUNDINGS,
  USER_HISTORICAL_ORDERS,
  USER_LEDGER,
} from './channels/user-history.ts';
import type { State } from '@oddlot/engine';
import { withInstrument } from '@oddlot/translate/instruments';
import type { WsError } from './frame.ts';

/** The channels of /ws: each is opened by its subscribers and fed by every block. */
export class NodeChannels implements ChannelSet {
  readonly #context: ChannelContext;
  readonly #trades: TradesChannel;
  readonly #outcomeTrades: OutcomeTradesChannel;
  readonly #orderUpdates: UserEventChannel<UserParams, OrderUpdate>;
  readonly #outcomeOrderUpdates: UserEventChannel<UserParams, OrderUpdate<UpdatedOutcomeOrder>>;
  readonly #accountState: AccountStateChannel;
  readonly #book: BookChannel;
  readonly #bookDiffs: BookDiffsChannel;
  readonly #outcomeBbos: OutcomeBbosChannel;
  readonly #assetContext: AssetContextChannel;
  readonly #explorerBlock: ExplorerBlockChannel;
  readonly #explorerTxs: ExplorerTxsChannel;

  constructor(context: ChannelContext) {
    this.#context = context;
    this.#trades = new TradesChannel(context);
    this.#outcomeTrades = new OutcomeTradesChannel(context);
    this.#orderUpdates = new UserEventChannel(context, orderUpdates(context));
    this.#outcomeOrderUpdates = new UserEventChannel(context, outcomeOrderUpdates(context));
    this.#accountState = new AccountStateChannel(context);
    this.#book = new BookChannel(context);
    this.#bookDiffs = new BookDiffsChannel(context);
    this.#outcomeBbos = new OutcomeBbosChannel(context);
    this.#assetContext = new AssetContextChannel(context);
    this.#explorerBlock = new ExplorerBlockChannel(context);
    this.#explorerTxs = new ExplorerTxsChannel(context);
  }

  open(value: unknown): Opening {
    return openingOf(parseSubscription('ws', value), this.#context.state(), (each) =>
      this.#openChannel(each),
    );
  }

  identify(value: unknown): Identity {
    return identityOf(parseSubscription('ws', value), this.#context.state());
  }

  #openChannel(subscription: Subscription): ChannelOpening | undefined {
    switch (subscription.channel) {
      case 'trades':
        return this.#trades.open(subscription.params);
      case 'outcomeTrades':
        return this.#outcomeTrades.open(subscription.params);
      case 'orderUpdates':
        return this.#orderUpdates.open(subscription.params);
      case 'outcomeOrderUpdates':
        return this.#outcomeOrderUpdates.open(subscription.params);
      case 'userFundings':
        return openUserHistory(this.#context, USER_FUNDINGS, subscription.params);
      case 'clearinghouseState':
        return this.#accountState.open(subscription.params);
      case 'l2Book':
        return this.#book.open(subscription.params);
      case 'l2Diff':
        return this.#bookDiffs.open(subscription.params);
      case 'outcomeBbos':
        return this.#outcomeBbos.open(subscription.params);
      case 'activeAssetCtx':
        return this.#assetContext.open(subscription.params);
      case 'explorerBlock':
        return this.#explorerBlock.open();
      case 'explorerTxs':
        return this.#explorerTxs.open();
      default:
        return undefined;
    }
  }

  /** First what happened, then what it led to. */
  onBlock(block: AppliedBlock): void {
    const inOrder: readonly Pick<NodeChannel<never>, 'onBlock'>[] = [
      this.#explorerBlock,
      this.#explorerTxs,
      this.#trades,
      this.#outcomeTrades,
      this.#orderUpdates,
      this.#outcomeOrderUpdates,
      this.#accountState,
      this.#book,
      this.#bookDiffs,
      this.#outcomeBbos,
      this.#assetContext,
    ];
    for (const channel of inOrder) channel.onBlock(block);
  }
}

/** The channels of /api-ws. */
export class ApiChannels implements ChannelSet {
  readonly #context: ChannelContext;
  readonly #releases: OutcomeReleasesChannel;
  readonly #recentTrades: RecentTradesChannel;
  readonly #candle: CandleChannel;
  readonly #tickers: TickersChannel;

  constructor(context: ChannelContext) {
    this.#context = context;
    this.#releases = new OutcomeReleasesChannel(context);
    this.#recentTrades = new RecentTradesChannel(context);
    this.#candle = new CandleChannel(context);
    this.#tickers = new TickersChannel(context);
  }

  open(value: unknown): Opening {
    return openingOf(parseSubscription('api-ws', value), this.#context.state(), (each) =>
      this.#openChannel(each),
    );
  }

  identify(value: unknown): Identity {
    return identityOf(parseSubscription('api-ws', value), this.#context.state());
  }

  #openChannel(subscription: Subscription): ChannelOpening | undefined {
    switch (subscription.channel) {
      case 'outcomeOrderUpdate':
        return this.#releases.open(subscription.params);
      case 'recentTrades':
        return this.#recentTrades.open(subscription.params);
      case 'userNonFundingLedgerUpdates':
        return openUserHistory(this.#context, USER_LEDGER, subscription.params);
      case 'userFills':
        return openUserHistory(this.#context, USER_FILLS, subscription.params);
      case 'userHistoricalOrders':
        return openUserHistory(this.#context, USER_HISTORICAL_ORDERS, subscription.params);
      case 'candle':
        return this.#candle.open(subscription.params);
      case 'tickers':
        return this.#tickers.open(subscription.params);
      default:
        return undefined;
    }
  }

  /** First what happened, then what it led to. */
  onBlock(block: AppliedBlock): void {
    const inOrder: readonly Pick<NodeChannel<never>, 'onBlock'>[] = [
      this.#releases,
      this.#recentTrades,
      this.#candle,
      this.#tickers,
    ];
    for (const channel of inOrder) channel.onBlock(block);
  }
}

/** Opens a subscription by whoever knows its channel; undefined says that nobody does yet. */
function openingOf(
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
function identityOf(parsed: ReturnType<typeof parseSubscription>, state: State): Identity {
  if (parsed.ok) return { ok: true, key: parsed.subscription.key };
  return { ok: false, error: shown(state, parsed.error) };
}

function notServed({ channel }: Subscription): Opening {
  const message = `Channel is not served yet: ${channel}`;
  return { ok: false, error: { code: 'UNKNOWN_CHANNEL', message } };
}
