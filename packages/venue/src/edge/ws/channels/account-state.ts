import type { EngineEvent, OrderSnapshot } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { clearinghouseOf } from '../../../translate/info/clearinghouse.ts';
import type { AppliedBlock } from '../../../block/applied-block.ts';
import type { Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';

type AccountType = 'perp' | 'outcome';
type Params = { readonly user: Address; readonly accountType?: AccountType | undefined };

/**
 * Positions and margin of one sub-account, after each block in which it traded, changed orders or
 * settings, paid or was paid, or was made to close something. A move of the mark alone sends
 * nothing: it would send to everyone every second. Nor does what a vault gained or lost.
 */
export class AccountStateChannel implements NodeChannel<Params> {
  readonly #context: ChannelContext;
  readonly #streams: Record<AccountType, Map<Address, Stream>> = {
    perp: new Map(),
    outcome: new Map(),
  };

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ user, accountType = 'perp' }: Params): Opening {
    const streams = this.#streams[accountType];
    return {
      ok: true,
      recipe: {
        key: `clearinghouseState:${accountType}:${user}`,
        channel: 'clearinghouseState',
        height: () => this.#context.state().height,
        source: (stream) => {
          streams.set(user, stream);
          return {
            snapshot: () => ({ data: this.#json(user, accountType) }),
            close: () => streams.delete(user),
          };
        },
      },
    };
  }

  onBlock(block: AppliedBlock): void {
    const { perp, outcome } = this.#streams;
    if (perp.size === 0 && outcome.size === 0) return;
    const touched = new Map<Stream, readonly [Address, AccountType]>();
    const touch = (user: Address, type: AccountType): void => {
      const stream = this.#streams[type].get(user);
      if (stream !== undefined) touched.set(stream, [user, type]);
    };
    for (const event of block.result.events) touchedBy(event, touch);
    for (const [stream, [user, type]] of touched) stream.publish(this.#json(user, type));
  }

  #json(user: Address, accountType: AccountType): string {
    const state = clearinghouseOf(this.#context.state(), user, accountType);
    return JSON.stringify({ user, accountType, clearinghouseState: state });
  }
}

function touchedBy(event: EngineEvent, touch: (user: Address, type: AccountType) => void): void {
  switch (event.type) {
    case 'tradeExecuted':
      touch(event.taker.account, 'perp');
      touch(event.maker.account, 'perp');
      break;
    case 'orderUpdated':
      // A refused order reserves nothing.
      if (event.status !== 'rejected') touch(event.order.account, exchangeOf(event.order));
      break;
    case 'outcomeTraded':
      touch(event.taker.account, 'outcome');
      touch(event.maker.account, 'outcome');
      break;
    case 'outcomeOrderQueued':
    case 'outcomeOrderReleased':
    case 'sharesOperated':
    case 'sharesSettled':
      touch(event.account, 'outcome');
      break;
    case 'faucetCredited':
      touch(event.account, event.subAccount);
      break;
    case 'tokenSent':
      touch(event.account, event.from);
      touch(event.destination, event.to);
      break;
    case 'settingsChanged':
    case 'fundingPaid':
    case 'liquidationStep':
    case 'deleveraged':
    case 'positionSettled':
    case 'reverseJobChanged':
    case 'builderRewardsClaimed':
    case 'withdrawalChanged':
    case 'treasurySent':
      touch(event.account, 'perp');
      break;
    default:
      break;
  }
}

function exchangeOf({ outcome }: OrderSnapshot): AccountType {
  return outcome === undefined ? 'perp' : 'outcome';
}
