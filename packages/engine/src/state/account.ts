import { type Address, type MicroUsdc, type TimeMs, ZERO_USDC } from '@oddlot/units';
import type { OwnList } from '../book/order-pool.ts';
import { LazyMap } from '../collections/maps.ts';
import { putInOrder } from '../collections/sorting.ts';
import type { BuilderTerms, MultiSigSet } from '../messages/command.ts';
import type { OutcomeHolding } from './outcome-market.ts';
import type { Perp } from './perp.ts';
import type { FeeTier } from '../messages/parameters.ts';

/** Money, positions and keys of an account (R-account). */
export type Account = {
  readonly index: number;
  readonly address: Address;
  readonly createdMs: TimeMs;
  /** Free and cross money, without isolated margins and reserves. */
  perpBalance: MicroUsdc;
  outcomeBalance: MicroUsdc;
  /** R-reserve: reserves of queued and resting outcome buys; they have left the balance. */
  outcomeReserved: MicroUsdc;
  /** R-withdraw: withdrawals that the bridge has not paid yet; they have left the perp balance. */
  withdrawHold: MicroUsdc;
  /** R-hedge: one net position an instrument, or a long leg and a short leg. */
  positionMode: PositionMode;
  /** By label. */
  readonly agents: Map<string, AgentRecord>;
  /** R-builder: approved builders, by address. */
  readonly builders: Map<Address, BuilderApproval>;
  /** R-multisig: present while the account needs several signatures. */
  multiSig: MultiSigSet | undefined;
  /** Settings per instrument, iterated by its id; created at the first change. */
  readonly settings: Map<number, InstrumentSettings>;
  /** By `holdingKey`, and iterated in that order; created at first use. */
  readonly holdings: Map<HoldingKey, Holding>;
  /** Holdings in outcome markets, by instrument id and iterated in that order. */
  readonly outcomes: Map<number, OutcomeHolding>;
  /** Order ids of live orders by the 16 bytes of the client order id. */
  readonly clientOrders: Map<string, number>;
  liveOrders: number;
  /** Lists with the account's resting orders, unordered. Derived, never dumped. */
  readonly orderLists: Set<OwnList>;
  /** R-fee-tiers. */
  readonly volume: Volume;
  /** Sums over the cross holdings at the marks of `epoch`. Derived, never dumped. */
  readonly margin: MarginSums;
};

type BuilderApproval = {
  /** 10^-8. */
  readonly maxFeeE8: number;
  /** The rate as text, as it was signed. */
  readonly maxFeeText: string;
  readonly updatedMs: TimeMs;
};

export type PositionMode = 'oneWay' | 'hedge';

type AgentRecord = {
  readonly agent: Address;
  readonly createdMs: TimeMs;
  readonly updatedMs: TimeMs;
};

/** R-leverage: margin mode, and a leverage for each mode (hedge isolated: for each side). */
export type InstrumentSettings = {
  isIsolated: boolean;
  crossLeverage: number;
  /** By leg; one-way mode uses the first. */
  readonly isolatedLeverage: [number, number];
};

/** The net position (or the long leg in hedge mode) is 0, the short leg 1. */
export type Leg = 0 | 1;

/** Position and resting orders of an account in one leg of a perpetual. */
export type Holding = {
  /** The owner. */
  readonly accountIndex: number;
  readonly perp: Perp;
  readonly leg: Leg;
  /** Signed: positive is long. Written by `setSize` alone. */
  size: number;
  /** Signed cost of the position: unrealised PnL is size × mark − cost. */
  cost: MicroUsdc;
  /** Follows the account's settings of the instrument. */
  isIsolated: boolean;
  leverage: number;
  /** R-isolated: margin of the position; no other money of the account covers it. */
  isolatedMargin: MicroUsdc;
  /** Sum of the reserves of its resting isolated orders. */
  reserved: MicroUsdc;
  /** Remaining sizes of resting orders, reduce-only ones separately (R-initial excludes them). */
  restingBuy: number;
  restingSell: number;
  reduceBuy: number;
  reduceSell: number;
  /** The account's resting orders in this leg, oldest first. */
  readonly orders: { head: number; tail: number; count: number };
  updatedMs: TimeMs;
  /** Since the position opened. */
  feesPaid: MicroUsdc;
  realised: MicroUsdc;
  /** Funding collected (paid is negative): all time, since opening, since the last change of size. */
  readonly funding: FundingTotals;
  /** Cached parts of the margin sums at the marks of `Account.margin.epoch`. */
  unrealised: MicroUsdc;
  initial: MicroUsdc;
  maintenance: MicroUsdc;
  notional: MicroUsdc;
};

type FundingTotals = { allTime: MicroUsdc; sinceOpen: MicroUsdc; sinceChange: MicroUsdc };

type MarginSums = {
  /** The `markEpoch` of the sums; −1 if they must be computed again. */
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
    outcomeReserved: ZERO_USDC,
    withdrawHold: ZERO_USDC,
    positionMode: 'oneWay',
    agents: new LazyMap(),
    builders: new LazyMap(),
    multiSig: undefined,
    settings: new LazyMap(),
    holdings: new LazyMap(),
    outcomes: new LazyMap(),
    clientOrders: new LazyMap(),
    liveOrders: 0,
    orderLists: new Set(),
    volume: createVolume(),
    margin: {
      epoch: -1,
      unrealised: ZERO_USDC,
      initial: ZERO_USDC,
      maintenance: ZERO_USDC,
      notional: ZERO_USDC,
    },
  };
}

/** Key of a holding. A branded type, because an instrument id would find another leg. */
export type HoldingKey = number & { readonly holdingKey: true };

export function holdingKey(instrumentId: number, leg: Leg): HoldingKey {
  return (2 * instrumentId + leg) as HoldingKey;
}

/** The leg of an order: in hedge mode it follows from side and reduce-only (R-hedge). */
export function legOf(
  account: Account,
  order: { readonly isBuy: boolean; readonly reduceOnly: boolean },
): Leg {
  return account.positionMode === 'hedge' && order.isBuy === order.reduceOnly ? 1 : 0;
}

/** Settings of an instrument before their first change (R-leverage). */
export function defaultSettings(perp: Perp, defaultLeverage: number): InstrumentSettings {
  const leverage = leverageUnset(perp, defaultLeverage);
  return {
    isIsolated: perp.definition.onlyIsolated,
    crossLeverage: leverage,
    isolatedLeverage: [leverage, leverage],
  };
}

/** The leverage of either mode until the account sets one. */
export function leverageUnset(perp: Perp, defaultLeverage: number): number {
  return Math.min(defaultLeverage, perp.maxLeverage);
}

/** The leverage of one leg by the settings. */
export function leverageOf(settings: InstrumentSettings, leg: Leg, isIsolated: boolean): number {
  return isIsolated ? settings.isolatedLeverage[leg] : settings.crossLeverage;
}

/** The account's settings of an instrument, for a change; call `settingsChanged` afterwards. */
export function settingsOf(
  account: Account,
  perp: Perp,
  defaultLeverage: number,
): InstrumentSettings {
  const id = perp.definition.instrumentId;
  let settings = account.settings.get(id);
  if (settings === undefined) {
    settings = defaultSettings(perp, defaultLeverage);
    putInOrder(account.settings, id, settings);
  }
  return settings;
}

/** Updates the holdings of an instrument after a change of its settings. */
export function settingsChanged(account: Account, perp: Perp, settings: InstrumentSettings): void {
  const id = perp.definition.instrumentId;
  for (const leg of [0, 1] as const) {
    const holding = account.holdings.get(holdingKey(id, leg));
    if (holding === undefined) continue;
    holding.isIsolated = settings.isIsolated;
    holding.leverage = leverageOf(settings, leg, settings.isIsolated);
  }
  account.margin.epoch = -1;
}

/** The account's holding in a leg of an instrument, created if absent. */
export function holdingOf(
  account: Account,
  perp: Perp,
  leg: Leg,
  defaultLeverage: number,
): Holding {
  const key = holdingKey(perp.definition.instrumentId, leg);
  const existing = account.holdings.get(key);
  if (existing !== undefined) return existing;
  const settings =
    account.settings.get(perp.definition.instrumentId) ?? defaultSettings(perp, defaultLeverage);
  const holding: Holding = {
    accountIndex: account.index,
    perp,
    leg,
    size: 0,
    cost: ZERO_USDC,
    isIsolated: settings.isIsolated,
    leverage: leverageOf(settings, leg, settings.isIsolated),
    isolatedMargin: ZERO_USDC,
    reserved: ZERO_USDC,
    restingBuy: 0,
    restingSell: 0,
    reduceBuy: 0,
    reduceSell: 0,
    orders: { head: -1, tail: -1, count: 0 },
    updatedMs: account.createdMs,
    feesPaid: ZERO_USDC,
    realised: ZERO_USDC,
    funding: { allTime: ZERO_USDC, sinceOpen: ZERO_USDC, sinceChange: ZERO_USDC },
    unrealised: ZERO_USDC,
    initial: ZERO_USDC,
    maintenance: ZERO_USDC,
    notional: ZERO_USDC,
  };
  putInOrder(account.holdings, key, holding);
  return holding;
}

/** Fees that a builder earned and claimed; kept while it is approved or if it has ever earned. */
export type BuilderRewards = {
  earned: MicroUsdc;
  claimed: MicroUsdc;
  /** Number of accounts that approve it now. Derived, never dumped. */
  approvals: number;
};

/**
 * The builder of a live order. The fee rounds down once per order and role (R-rounding), so each role keeps the part
 * of a micro-USDC that is not charged yet, in 10^-8.
 */
export type OrderBuilder = BuilderTerms & { takerOwed: number; makerOwed: number };

/** Traded volume of an account by UTC day, and its fee tier. */
type Volume = {
  /** Oldest first; the day in progress and at most 14 before it. */
  readonly days: VolumeDay[];
  /** The tier, with the day and the table of its lookup. Derived, never dumped. */
  tier: FeeTier | undefined;
  tierDay: number;
  tierOf: readonly FeeTier[] | undefined;
};

/** One UTC day, counted from the epoch. */
type VolumeDay = { readonly day: number; notional: MicroUsdc };

function createVolume(): Volume {
  return { days: [], tier: undefined, tierDay: -1, tierOf: undefined };
}
