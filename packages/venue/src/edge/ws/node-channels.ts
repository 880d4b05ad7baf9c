import {
  type OrderUpdate,
  parseSubscription,
  type Subscription,
  type UpdatedOutcomeOrder,
} from '@oddlot/protocol';
import type { AppliedBlock } from '../../block/block.ts';
import type { ChannelSet, Identity, Opening } from './channel-session.ts';
import { AccountStateChannel } from './channels/account-state-channel.ts';
import { AssetContextChannel } from './channels/asset-context-channel.ts';
import { BookDiffsChannel } from './channels/book-diffs-channel.ts';
import { BookChannel } from './channels/book-channel.ts';
import { ExplorerBlockChannel, ExplorerTxsChannel } from './channels/explorer.ts';
import type {
  ChannelContext,
  NodeChannel,
  Opening as ChannelOpening,
} from './channels/node-channel.ts';
import { orderUpdates } from './channels/order-updates.ts';
import { OutcomeBbosChannel } from './channels/outcome-bbos-channel.ts';
import { outcomeOrderUpdates } from './channels/outcome-order-updates.ts';
import { OutcomeTradesChannel } from './channels/outcome-trades-channel.ts';
import { TradesChannel } from './channels/trades-channel.ts';
import { UserEventChannel, type UserParams } from './channels/user-event-channel.ts';
import { openUserHistory, USER_FUNDINGS } from './channels/open-user-history.ts';
import { identityOf, openingOf } from './opening-of.ts';

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
