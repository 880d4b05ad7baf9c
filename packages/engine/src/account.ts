import { type Address, type MicroUsdc, type TimeMs, ZERO_USDC } from '@oddlot/units';
import type { Perp } from './perp/perp.ts';

/** Someone's money, positions and keys (R-account). */
export type Account = {
  readonly index: number;
  readonly address: Address;
  readonly createdMs: TimeMs;
  perpBalance: MicroUsdc;
  outcomeBalance: MicroUsdc;
  /** By label. */
  readonly agents: Map<string, AgentRecord>;
  /** By instrument id; created when first used. */
  readonly holdings: Map<number, Holding>;
  /** Order id by the 16 bytes of the client's own id, live orders only. */
  readonly clientOrders: Map<string, number>;
  liveOrders: number;
  /** Sums over the holdings at the marks of `epoch`. Derived, never dumped. */
  readonly margin: MarginSums;
};

export type AgentRecord = {
  readonly agent: Address;
  readonly createdMs: TimeMs;
  readonly updatedMs: TimeMs;
};

/** What an account has in one perpetual: a position and resting orders. */
export type Holding = {
  readonly perp: Perp;
  /** Signed: positive is long. */
  size: number;
  /** Signed: what the position cost, so that unrealised PnL is size × mark − cost. */
  cost: MicroUsdc;
  leverage: number;
  /** Remaining sizes of resting orders, reduce-only ones apart (R-initial leaves them out). */
  restingBuy: number;
  restingSell: number;
  reduceBuy: number;
  reduceSell: number;
  /** The account's resting orders in this instrument, oldest first. */
  readonly orders: { head: number; tail: number; count: number };
  updatedMs: TimeMs;
  /** Since the position opened. */
  feesPaid: MicroUsdc;
  realised: MicroUsdc;
  /** Cached parts of the account's sums at the marks of `Account.margin.epoch`. */
  unrealised: MicroUsdc;
  initial: MicroUsdc;
  maintenance: MicroUsdc;
  notional: MicroUsdc;
};

export type MarginSums = {
  /** The `markEpoch` that the sums are for; −1 when they must be computed anew. */
  epoch: number;
  unrealised: MicroUsdc;
  initial: MicroUsdc;
  maintenance: MicroUsdc;
  notional: MicroUsdc;
};

export function createAccount(index: number, address: Address, createdMs: TimeMs): Account {
  return {
    index,
    address,
    createdMs,
    perpBalance: ZERO_USDC,
    outcomeBalance: ZERO_USDC,
    agents: new Map(),
    holdings: new Map(),
    clientOrders: new Map(),
    liveOrders: 0,
    margin: {
      epoch: -1,
      unrealised: ZERO_USDC,
      initial: ZERO_USDC,
      maintenance: ZERO_USDC,
      notional: ZERO_USDC,
    },
  };
}

/** The account's place in an instrument, created empty at the given leverage when there is none. */
export function holdingOf(account: Account, perp: Perp, defaultLeverage: number): Holding {
  const id = perp.definition.instrumentId;
  const existing = account.holdings.get(id);
  if (existing !== undefined) return existing;
  const holding: Holding = {
    perp,
    size: 0,
    cost: ZERO_USDC,
    leverage: Math.min(defaultLeverage, perp.maxLeverage),
    restingBuy: 0,
    restingSell: 0,
    reduceBuy: 0,
    reduceSell: 0,
    orders: { head: -1, tail: -1, count: 0 },
    updatedMs: account.createdMs,
    feesPaid: ZERO_USDC,
    realised: ZERO_USDC,
    unrealised: ZERO_USDC,
    initial: ZERO_USDC,
    maintenance: ZERO_USDC,
    notional: ZERO_USDC,
  };
  account.holdings.set(id, holding);
  return holding;
}
