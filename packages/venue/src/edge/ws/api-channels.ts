import { parseSubscription, type Subscription } from '@oddlot/protocol';
import type { AppliedBlock } from '../../block/block.ts';
import type { ChannelSet, Identity, Opening } from './channel-session.ts';
import { CandleChannel } from './channels/candle-channel.ts';
import type {
  ChannelContext,
  NodeChannel,
  Opening as ChannelOpening,
} from './channels/node-channel.ts';
import { OutcomeReleasesChannel } from './channels/outcome-releases-channel.ts';
import { RecentTradesChannel } from './channels/recent-trades-channel.ts';
import { TickersChannel } from './channels/tickers-channel.ts';
import {
  openUserHistory,
  USER_FILLS,
  USER_HISTORICAL_ORDERS,
  USER_LEDGER,
} from './channels/open-user-history.ts';
import { identityOf, openingOf } from './opening-of.ts';

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
