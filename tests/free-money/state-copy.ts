import type { MarginTier, State } from '@oddlot/engine';
import type { Address } from '@oddlot/units';

/**
 * A copy of the accounts and markets at one point in time, with only amounts and sizes. The judges
 * derive all other values themselves.
 */

export type Held = {
  readonly id: number;
  readonly leg: 0 | 1;
  /** The position size in signed lots. */
  readonly size: number;
  readonly cost: bigint;
  readonly isIsolated: boolean;
  readonly leverage: number;
  readonly margin: bigint;
  readonly reserved: bigint;
  readonly restingBuy: number;
  readonly restingSell: number;
};

export type Funds = {
  readonly address: Address;
  readonly isHedged: boolean;
  readonly balance: bigint;
  /**
   * Money that positions cannot use: the balance of the outcome sub-account and pending
   * withdrawals.
   */
  readonly aside: bigint;
  readonly held: readonly Held[];
};

export type Market = {
  readonly id: number;
  readonly mark: number;
  readonly oracle: number;
  readonly isHalted: boolean;
  readonly isStale: boolean;
  /** R-delist: true if the closing hour had too few samples. */
  readonly isWaiting: boolean;
  /** R-delist: true if the closing hour has missed more than half of its samples. */
  readonly isLost: boolean;
  readonly isSettled: boolean;
  /** R-delist: true from the operator's delist action on. */
  readonly isClosing: boolean;
  readonly tiers: readonly MarginTier[];
};

export type StateCopy = {
  readonly timeMs: number;
  readonly fundsByAccount: ReadonlyMap<Address, Funds>;
  readonly markets: ReadonlyMap<number, Market>;
  readonly treasury: bigint;
};

export function shotOf(state: State): StateCopy {
  const fundsByAccount = new Map<Address, Funds>();
  for (const account of state.accounts) {
    const held: Held[] = [];
    for (const each of account.holdings.values()) {
      held.push({
        id: each.perp.definition.instrumentId,
        leg: each.leg,
        size: each.size,
        cost: each.cost,
        isIsolated: each.isIsolated,
        leverage: each.leverage,
        margin: each.isolatedMargin,
        reserved: each.reserved,
        restingBuy: each.restingBuy,
        restingSell: each.restingSell,
      });
    }
    fundsByAccount.set(account.address, {
      address: account.address,
      isHedged: account.positionMode === 'hedge',
      balance: account.perpBalance,
      aside: account.outcomeBalance + account.outcomeReserved + account.withdrawHold,
      held,
    });
  }
  const staleMs = state.parameters?.oracleStaleMs ?? 0;
  const markets = new Map<number, Market>();
  for (const [id, perp] of state.perps) {
    markets.set(id, {
      id,
      mark: perp.mark,
      oracle: perp.oracle,
      isHalted: perp.halted,
      isStale: perp.oracle === 0 || state.timeMs - perp.oracleMs > staleMs,
      isWaiting: perp.closing?.isWaiting === true,
      isLost: perp.closing !== undefined && perp.closing.looked - perp.closing.samples > 360,
      isSettled: perp.delisted,
      isClosing: perp.closing !== undefined,
      tiers: perp.definition.tiers,
    });
  }
  return { timeMs: state.timeMs, fundsByAccount, markets, treasury: state.treasury };
}

/** Returns true if the mark is a valid price (R-order-of-events, R-oracle-stale). */
export function hasValidMark({ isHalted, isLost, isStale, isWaiting, mark }: Market): boolean {
  return mark > 0 && !isHalted && !isStale && !isWaiting && !isLost;
}

/** The price at which positions in each instrument are valued. */
export type Prices = (id: number) => number;

/** Returns an account's total value, with positions at the given prices. */
export function worth({ aside, balance, held }: Funds, prices: Prices): bigint {
  let value = balance + aside;
  for (const each of held) value += each.margin + each.reserved + unrealised(each, prices);
  return value;
}

export function unrealised({ cost, id, size }: Held, prices: Prices): bigint {
  return size === 0 ? -cost : BigInt(size) * BigInt(prices(id)) - cost;
}

export const magnitude = (size: number): bigint => BigInt(Math.abs(size));

export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
