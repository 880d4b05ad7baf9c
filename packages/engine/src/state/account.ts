import { type Address, type MicroUsdc, type TimeMs, ZERO_USDC } from '@oddlot/units';
import type { OwnList } from '../book/order-pool.ts';
import { LazyMap } from '../collections/maps.ts';
import { putInOrder } from '../collections/sorting.ts';
import type { BuilderTerms, MultiSigSet } from '../messages/command.ts';
import type { OutcomeHolding } from './outcome-market.ts';
import type { Perp } from './perp.ts';
import type { FeeTier } from '../messages/parameters.ts';

/** A trading account with its money, positions, agents and settings (R-account). */
export type Account = {
  readonly index: number;
  readonly address: Address;
  readonly createdMs: TimeMs;
  /** The balance outside isolated positions; excludes isolated margins and order reserves. */
  perpBalance: MicroUsdc;
  outcomeBalance: MicroUsdc;
  /**
   * The money reserved for queued and resting outcome buys, already deducted from `outcomeBalance`
   * (R-reserve).
   */
  outcomeReserved: MicroUsdc;
  /**
   * Withdrawals that the bridge has not paid yet, already deducted from `perpBalance` (R-withdraw).
   */
  withdrawHold: MicroUsdc;
  /**
   * The mode that determines whether a perpetual has one net position or separate long and short
   * positions (R-hedge).
   */
  positionMode: PositionMode;
  readonly agents: Map<string, AgentRecord>;
  /** The approved builders, by address (R-builder). */
  readonly builders: Map<Address, BuilderApproval>;
  /**
   * The required signers and threshold; undefined unless this is a multisig account (R-multisig).
   */
  multiSig: MultiSigSet | undefined;
  /**
   * The settings by instrument id, iterated in that order; an entry is created at its first change.
   */
  readonly settings: Map<number, InstrumentSettings>;
  /**
   * The perpetual holdings, by `holdingKey`, iterated in that order; an entry is created at its
   * first use.
   */
  readonly holdings: Map<HoldingKey, Holding>;
  /** The holdings in outcome markets, by instrument id, iterated in that order. */
  readonly outcomes: Map<number, OutcomeHolding>;
  /** The ids of live orders by client order id, with its 16 bytes as the key. */
  readonly clientOrders: Map<string, number>;
  liveOrders: number;
  /**
   * The lists that contain the account's resting orders, in no particular order. Derived, so not
   * dumped.
   */
  readonly orderLists: Set<OwnList>;
  /** The traded volume that determines the account's fee tier (R-fee-tiers). */
  readonly volume: Volume;
  /** The sums over the cross holdings at the marks of `margin.epoch`. Derived, so not dumped. */
  readonly margin: MarginSums;
};

type BuilderApproval = {
  /** The highest fee rate that the builder can charge, in 10^-8. */
  readonly maxFeeE8: number;
  /** The highest fee rate as the string that the owner signed. */
  readonly maxFeeText: string;
  readonly updatedMs: TimeMs;
};

export type PositionMode = 'oneWay' | 'hedge';

type AgentRecord = {
  readonly agent: Address;
  readonly createdMs: TimeMs;
  readonly updatedMs: TimeMs;
};

/**
 * The margin mode and leverage of an account in one perpetual (R-leverage). Each mode has its own
 * leverage, as does each isolated position in hedge mode.
 */
export type InstrumentSettings = {
  isIsolated: boolean;
  crossLeverage: number;
  /** The isolated leverage by leg; one-way mode uses only the first element. */
  readonly isolatedLeverage: [number, number];
};

/**
 * The position side: 0 is the net position, or the long position in hedge mode; 1 is the short
 * position.
 */
export type Leg = 0 | 1;

/** The position and resting orders of an account in one leg of a perpetual. */
export type Holding = {
  readonly accountIndex: number;
  readonly perp: Perp;
  readonly leg: Leg;
  /** The signed size in lots, positive for a long position. Only `setSize` may change it. */
  size: number;
  /** The signed cost of the position; unrealised PnL is size × mark − cost. */
  cost: MicroUsdc;
  /**
   * The margin mode, copied from the account's settings for the instrument and updated with them.
   */
  isIsolated: boolean;
  leverage: number;
  /**
   * The margin of the isolated position; no other money of the account covers its losses
   * (R-isolated).
   */
  isolatedMargin: MicroUsdc;
  /** The money reserved for the resting isolated orders of this holding. */
  reserved: MicroUsdc;
  /**
   * The remaining sizes of resting orders. Reduce-only orders are counted separately, because
   * R-initial excludes them.
   */
  restingBuy: number;
  restingSell: number;
  reduceBuy: number;
  reduceSell: number;
  /** The account's resting orders in this leg, oldest first. */
  readonly orders: { head: number; tail: number; count: number };
  updatedMs: TimeMs;
  /** The fees paid since the position was opened, including builder fees. */
  feesPaid: MicroUsdc;
  realised: MicroUsdc;
  /** The position's funding: funding received is positive, and funding paid is negative. */
  readonly funding: FundingTotals;
  /**
   * The margin values of this holding at the marks of `Account.margin.epoch`, cached for the
   * account's sums.
   */
  unrealised: MicroUsdc;
  initial: MicroUsdc;
  maintenance: MicroUsdc;
  notional: MicroUsdc;
};

type FundingTotals = { allTime: MicroUsdc; sinceOpen: MicroUsdc; sinceChange: MicroUsdc };

type MarginSums = {
  /** The `markEpoch` at which the sums were computed, or −1 if they are outdated. */
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

/**
 * The key of an account's holding. It is a branded type, because a plain instrument id could be
 * taken for the key of another instrument's holding.
 */
export type HoldingKey = number & { readonly holdingKey: true };

export function holdingKey(instrumentId: number, leg: Leg): HoldingKey {
  return (2 * instrumentId + leg) as HoldingKey;
}

/**
 * Returns the leg in which an order trades; in hedge mode, side and reduce-only determine it
 * (R-hedge).
 */
export function legOf(
  account: Account,
  order: { readonly isBuy: boolean; readonly reduceOnly: boolean },
): Leg {
  return account.positionMode === 'hedge' && order.isBuy === order.reduceOnly ? 1 : 0;
}

/**
 * Returns the settings for an instrument whose settings the account has not changed yet
 * (R-leverage).
 */
export function defaultSettings(perp: Perp, defaultLeverage: number): InstrumentSettings {
  const leverage = leverageUnset(perp, defaultLeverage);
  return {
    isIsolated: perp.definition.onlyIsolated,
    crossLeverage: leverage,
    isolatedLeverage: [leverage, leverage],
  };
}

/** Returns the leverage that applies in both margin modes until the account sets one. */
export function leverageUnset(perp: Perp, defaultLeverage: number): number {
  return Math.min(defaultLeverage, perp.maxLeverage);
}

export function leverageOf(settings: InstrumentSettings, leg: Leg, isIsolated: boolean): number {
  return isIsolated ? settings.isolatedLeverage[leg] : settings.crossLeverage;
}

/**
 * Returns the account's settings for an instrument so that they can be modified, creating them if
 * absent. The caller must call `settingsChanged` afterwards.
 */
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

/**
 * Copies changed settings to the account's holdings of the instrument and marks its margin sums as
 * outdated.
 */
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

/**
 * The fees that a builder has earned and claimed. The record is kept while an account approves the
 * builder or if the builder has ever earned a fee.
 */
export type BuilderRewards = {
  earned: MicroUsdc;
  claimed: MicroUsdc;
  /** The number of accounts that currently approve the builder. Derived, so not dumped. */
  approvals: number;
};

/**
 * The builder of a live order. Its fee rounds down once per order and role (R-rounding), so the
 * record keeps the uncharged fraction of a micro-USDC for each role, in 10^-8.
 */
export type OrderBuilder = BuilderTerms & { takerOwed: number; makerOwed: number };

type Volume = {
  /** The days, oldest first: at most the current day and the 14 days before it. */
  readonly days: VolumeDay[];
  /**
   * The cached fee tier, with the day and the fee schedule for which it was determined. Derived, so
   * not dumped.
   */
  tier: FeeTier | undefined;
  tierDay: number;
  tierOf: readonly FeeTier[] | undefined;
};

/** The notional traded in one UTC day; days are counted from the epoch. */
type VolumeDay = { readonly day: number; notional: MicroUsdc };

function createVolume(): Volume {
  return { days: [], tier: undefined, tierDay: -1, tierOf: undefined };
}
