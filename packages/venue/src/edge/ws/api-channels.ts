import { parseSubscription, type Subscription } from '@oddlot/protocol';
import type { AppliedBlock } from '../../block/applied-block.ts';
import type { LedgerEntry } from '../../translate/event-to-ledger.ts';
import type { ChannelSet, Identity, Opening } from './channel-session.ts';
import { CandleChannel } from './channels/candle.ts';
import { ledgerUpdates, type LedgerParams } from './channels/ledger-updates.ts';
import type {
  ChannelContext,
  NodeChannel,
  Opening as ChannelOpening,
} from './channels/node-channel.ts';
import { OutcomeReleasesChannel } from './channels/outcome-releases.ts';
import { RecentTradesChannel } from './channels/recent-trades.ts';
import { TickersChannel } from './channels/tickers.ts';
import { UserEventChannel } from './channels/user-event-channel.ts';
import { identityOf, openingOf } from './opening-of.ts';

/** The channels of /api-ws. */
export class ApiChannels implements ChannelSet {
  readonly #state: ChannelContext['state'];
  readonly #releases: OutcomeReleasesChannel;
  readonly #recentTrades: RecentTradesChannel;
  readonly #ledgerUpdates: UserEventChannel<LedgerParams, LedgerEntry>;
  readonly #candle: CandleChannel;
  readonly #tickers: TickersChannel;

  constructor(context: ChannelContext) {
    this.#state = context.state;
    this.#releases = new OutcomeReleasesChannel(context);
    this.#recentTrades = new RecentTradesChannel(context);
    this.#ledgerUpdates = new UserEventChannel(context, ledgerUpdates(context));
    this.#candle = new CandleChannel(context);
    this.#tickers = new TickersChannel(context);
  }

  open(value: unknown): Opening {
    return openingOf(parseSubscription('api-ws', value), this.#state(), (each) =>
      this.#openChannel(each),
    );
  }

  identify(value: unknown): Identity {
    return identityOf(parseSubscription('api-ws', value), this.#state());
  }

  #openChannel(subscription: Subscription): ChannelOpening | undefined {
    switch (subscription.channel) {
      case 'outcomeOrderUpdate':
        return this.#releases.open(subscription.params);
      case 'recentTrades':
        return this.#recentTrades.open(subscription.params);
      case 'userNonFundingLedgerUpdates':
        return this.#ledgerUpdates.open(subscription.params);
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
      this.#ledgerUpdates,
      this.#candle,
      this.#tickers,
    ];
    for (const channel of inOrder) channel.onBlock(block);
  }
}
