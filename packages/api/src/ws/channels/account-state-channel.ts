import { vaultEquity, type EngineEvent, type OrderSnapshot } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { clearinghouseOf } from '@oddlot/translate/info/clearinghouse';
import type { AppliedBlock } from '@oddlot/replica/block';
import type { Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening, ChannelFactories } from './node-channel.ts';

type AccountType = 'perp' | 'outcome';
type Params = { readonly user: Address; readonly accountType?: AccountType | undefined };

/** A stream and the vault equity it published last. */
type Shown = { readonly stream: Stream; vaultEquity: bigint };

/**
 * Publishes the positions and the margin of one sub-account after each block that changes them
 * other than through a mark: by the account's own trades, orders, settings and payments, by changed
 * parameters of a perp it holds, and by changes to vaults in which it has shares. Changes in marks
 * and ADL ranks are not published, because they would send every subscriber a frame every second.
 */
class AccountStateChannel implements NodeChannel<Params> {
  readonly #context: ChannelContext;
  readonly #streams: Record<AccountType, Map<Address, Shown>> = {
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
          streams.set(user, { stream, vaultEquity: vaultEquity(this.#context.state(), user) });
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
    const touched = { perp: new Set<Address>(), outcome: new Set<Address>() };
    const perps = new Set<number>();
    let hasVaultChange = false;
    for (const event of block.result.events) {
      touchedBy(event, (user, type) => touched[type].add(user));
      if (event.type === 'perpChanged') perps.add(event.instrumentId);
      hasVaultChange ||= event.type === 'vaultChanged';
    }
    const { vaults } = this.#context.state();
    hasVaultChange ||= [...vaults.keys()].some((vault) => touched.perp.has(vault));
    if (perps.size > 0) this.#touchHolders(perps, touched.perp);
    if (hasVaultChange) this.#touchShareholders(touched.perp);
    this.#publish('perp', touched.perp);
    this.#publish('outcome', touched.outcome);
  }

  /**
   * Adds the accounts affected by changed perp parameters: all accounts with a position or an order
   * in such a perp.
   */
  #touchHolders(perps: ReadonlySet<number>, touched: Set<Address>): void {
    const { accountIndex, accounts } = this.#context.state();
    for (const user of this.#streams.perp.keys()) {
      const holdings = accounts[accountIndex.get(user) ?? -1]?.holdings.values() ?? [];
      for (const { perp } of holdings) {
        if (perps.has(perp.definition.instrumentId)) touched.add(user);
      }
    }
  }

  #touchShareholders(touched: Set<Address>): void {
    const state = this.#context.state();
    for (const [user, shown] of this.#streams.perp) {
      if (vaultEquity(state, user) !== shown.vaultEquity) touched.add(user);
    }
  }

  #publish(type: AccountType, touched: ReadonlySet<Address>): void {
    for (const user of touched) {
      const shown = this.#streams[type].get(user);
      if (shown === undefined) continue;
      if (type === 'perp') shown.vaultEquity = vaultEquity(this.#context.state(), user);
      shown.stream.publish(this.#json(user, type));
    }
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
      // A rejected order does not reserve any margin.
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
    case 'fundSettled':
      touch(event.account, 'perp');
      touch(event.fund, 'perp');
      break;
    case 'depositCredited':
    case 'settingsChanged':
    case 'fundingPaid':
    case 'liquidationStep':
    case 'deleveraged':
    case 'positionSettled':
    case 'positionTraded':
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

export const ACCOUNT_STATE_CHANNELS = {
  clearinghouseState: (context) => new AccountStateChannel(context),
} as const satisfies ChannelFactories;
