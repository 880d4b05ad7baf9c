import {
  type Address,
  addUsdc,
  divCeil,
  divFloor,
  type InstrumentId,
  marginFor,
  type MicroUsdc,
  microUsdc,
  notional,
  present,
  RATE_ONE,
  subUsdc,
  timeMs,
  ZERO_USDC,
} from '@oddlot/units';
import { NONE, readSlotInt } from '../book/order-pool.ts';
import { adlQuantile } from '../liquidation/rankings.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import { clientOrderKey, type PerpDefinition } from '../messages/command.ts';
import { snapshotOf } from '../orders/target-entries.ts';
import { perpSnapshotOf, triggerSnapshot } from '../perp-orders/taker-order.ts';
import { crossScope, equityOf, valueOf } from '../perp/margin-restriction.ts';
import { withdrawable } from '../perp/free-margin.ts';
import { crossRisk } from '../perp/fill-check.ts';
import { riskOf } from '../perp/isolated.ts';
import { accountValue, freshMargin, liquidationFee, totalValue } from '../perp/margin.ts';
import { accountAt, type State } from '../state/state.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import { closingMs } from '../state/sampled-hours.ts';
import { parametersOf } from '../state/execution.ts';
import { maintenanceMargin, type Perp, tierOf } from '../state/perp.ts';
import { scopeOf } from '../state/liquidations.ts';
import { vaultEquity } from './read-permissions.ts';
import { tpslOf } from './read-waiting.ts';
import type {
  AccountView,
  AgentView,
  BookLevel,
  FeeTierView,
  MarginView,
  PerpView,
  PositionView,
} from './views.ts';
import { LIMITS } from '../messages/limits.ts';
import { accountTier, tierFor, volume14d } from '../ledger/fees.ts';
import { impactOf } from '../perp-orders/fillable-orders.ts';
import {
  type ImpactPrice,
  isSampled,
  nextFundingMs,
  predictedRateE10,
  premiumE10,
  shownImpact,
} from '../perp/funding.ts';
export { payableWithdrawals } from '../ledger/withdrawals.ts';
export {
  childOrders,
  reverseJobs,
  scheduledCancel,
  triggerOrders,
  waitingSince,
} from './read-waiting.ts';
export { tradeCapacity } from './trade-capacity.ts';

/** The maximum distance, in price units, by which rounding can move a liquidation price. */
const ROUNDING_UNITS = 8;

/**
 * Returns an account's view at the current marks, or undefined if the account does not exist.
 * Callers that do not need ADL ranks can pass a cheaper `rank`, because the default one reads every
 * account.
 */
export function accountView(
  state: State,
  address: Address,
  rank: typeof adlQuantile = adlQuantile,
): AccountView | undefined {
  const account = accountAt(state, address);
  if (account === undefined) return undefined;
  freshMargin(state, account);
  const positions = [...account.holdings.values()]
    .filter((holding) => holding.size !== 0)
    .sort(
      (a, b) => a.perp.definition.instrumentId - b.perp.definition.instrumentId || a.leg - b.leg,
    )
    .map((holding) => positionView(state, account, holding, rank));
  return {
    address,
    perpBalance: account.perpBalance,
    outcomeBalance: account.outcomeBalance,
    withdrawHold: account.withdrawHold,
    isHedged: account.positionMode === 'hedge',
    total: marginView(totalValue(state, account), positions),
    cross: marginView(
      accountValue(state, account),
      positions.filter((position) => !position.isIsolated),
    ),
    crossEquity: equityOf(state, crossScope(account)),
    initialMargin: account.margin.initial,
    maintenanceMargin: account.margin.maintenance,
    liquidationFee: liquidationFee(account.margin.notional, parametersOf(state).liquidationFeeE8),
    withdrawable: withdrawable(state, account),
    vaultEquity: vaultEquity(state, address),
    positions,
  };
}

function marginView(value: MicroUsdc, positions: readonly PositionView[]): MarginView {
  let total = ZERO_USDC;
  let signedNotional = ZERO_USDC;
  let marginUsed = ZERO_USDC;
  for (const position of positions) {
    total = addUsdc(total, position.notional);
    signedNotional = addUsdc(signedNotional, notional(position.mark, position.size));
    marginUsed = addUsdc(marginUsed, position.marginUsed);
  }
  return { accountValue: value, notional: total, signedNotional, marginUsed };
}

export function hasAccount(state: State, address: Address): boolean {
  return state.accountIndex.has(address);
}

/** Returns the account's agents, sorted by label. */
export function agentsOf(state: State, address: Address): readonly AgentView[] {
  const account = accountAt(state, address);
  if (account === undefined) return [];
  return [...account.agents.entries()]
    .map(([label, record]) => ({ label, ...record }))
    .sort((a, b) => byBytes(a.label, b.label));
}

/** Compares two strings by code points, which is the order of their UTF-8 bytes. */
function byBytes(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (const [at, point] of left.entries()) {
    const difference = (point.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Returns the owner of an agent, or undefined if the address is not an agent. */
export function agentOwner(
  state: State,
  agent: Address,
): { owner: Address; label: string } | undefined {
  const binding = state.agents.get(agent);
  if (binding === undefined) return undefined;
  const owner = present(state.accounts[binding.accountIndex], 'the owner of an agent').address;
  return { owner, label: binding.label };
}

/** Returns the account's resting orders, newest first. */
export function openOrders(state: State, address: Address): readonly OrderSnapshot[] {
  const account = accountAt(state, address);
  if (account === undefined) return [];
  const orders: OrderSnapshot[] = [];
  for (const holding of account.holdings.values()) {
    for (
      let slot = holding.orders.head;
      slot !== NONE;
      slot = readSlotInt(state.pool.ownNext, slot)
    ) {
      orders.push(perpSnapshotOf(state, slot));
    }
  }
  return orders.sort((a, b) => b.orderId - a.orderId);
}

/** Returns an order that is resting or waiting for the mark, or undefined if it is not live. */
export function findOrder(state: State, orderId: number): OrderSnapshot | undefined {
  const slot = state.pool.find(orderId);
  if (slot !== NONE) {
    return snapshotOf(state, slot);
  }
  const trigger = state.triggers.find(orderId);
  return trigger === undefined ? undefined : triggerSnapshot(state, trigger);
}

/** Returns the definitions of all perps, sorted by instrument id. */
export function perpDefinitions(state: State): readonly PerpDefinition[] {
  return state.perpIds.map((id) => present(state.perps.get(id), 'a listed perp').definition);
}

/** Returns false for unknown perps and for perps whose delisting has been announced. */
export function isListedPerp(state: State, instrumentId: InstrumentId): boolean {
  const perp = state.perps.get(instrumentId);
  return perp !== undefined && !perp.delisted && perp.closing === undefined;
}

/** Returns an account's net position in a perp, in signed lots. */
export function netPosition(state: State, address: Address, instrumentId: InstrumentId): number {
  let net = 0;
  for (const { perp, size } of accountAt(state, address)?.holdings.values() ?? []) {
    if (perp.definition.instrumentId === instrumentId) net += size;
  }
  return net;
}

/** Returns true if one of the account's margin accounts can be liquidated at the current marks. */
export function canBeLiquidated(state: State, address: Address): boolean {
  const account = accountAt(state, address);
  if (account === undefined) return false;
  freshMargin(state, account);
  for (const holding of account.holdings.values()) {
    if (holding.size === 0) continue;
    const { isIsolated, perp, size } = holding;
    const risk = isIsolated ? riskOf(state, perp, Math.abs(size)) : crossRisk(state, account);
    if (equityOf(state, scopeOf(account, holding)) < risk) return true;
  }
  return false;
}

export function perpView(state: State, instrumentId: InstrumentId): PerpView | undefined {
  const perp = state.perps.get(instrumentId);
  if (perp === undefined) return undefined;
  const day = perp.day.at(state.timeMs);
  const shown = (value: number): number | undefined => (value === 0 ? undefined : value);
  return {
    instrumentId,
    halted: perp.halted,
    delisted: perp.delisted || perp.closing !== undefined,
    closingMs: perp.closing === undefined ? undefined : closingMs(perp.closing),
    oracle: shown(perp.oracle),
    mark: shown(perp.mark),
    bestBid: shown(perp.book.bestPrice(true)),
    bestAsk: shown(perp.book.bestPrice(false)),
    lastTrade: shown(perp.lastTrade),
    openInterest: perp.openInterest,
    dayVolumeLots: day.lots,
    dayVolumeMicroUsdc: microUsdc(day.notional),
    previousDayPrice: shown(day.previousClose),
    ...fundingView(state, perp),
    bookVersion: perp.book.version,
  };
}

/**
 * Returns at most `max` levels of a book, best first. With `tick`, prices are grouped into its
 * multiples: bids are rounded down and asks up.
 */
export function bookLevels(
  state: State,
  instrumentId: InstrumentId,
  isBuy: boolean,
  max: number,
  tick?: number,
): readonly BookLevel[] {
  const { book } = state.perps.get(instrumentId) ?? state.outcomes.markets.get(instrumentId) ?? {};
  if (book === undefined) return [];
  if (tick === undefined) return book.levels(isBuy, max);
  const grouped: { price: number; size: number; count: number }[] = [];
  for (const level of book.levels(isBuy, Number.MAX_SAFE_INTEGER)) {
    const steps = isBuy ? Math.floor(level.price / tick) : Math.ceil(level.price / tick);
    const price = steps * tick;
    const last = grouped.at(-1);
    if (last?.price === price) {
      last.size += level.size;
      last.count += level.count;
    } else {
      if (grouped.length === max) break;
      grouped.push({ ...level, price });
    }
  }
  return grouped;
}

function positionView(
  state: State,
  account: Account,
  holding: Holding,
  rank: typeof adlQuantile,
): PositionView {
  const { perp, size } = holding;
  const { isIsolated } = holding;
  const magnitude = Math.abs(size);
  const scope = scopeOf(account, holding);
  const equity = equityOf(state, scope);
  return {
    instrumentId: perp.definition.instrumentId,
    isIsolated,
    equity,
    risk: isIsolated ? riskOf(state, perp, magnitude) : crossRisk(state, account),
    size,
    cost: holding.cost,
    mark: perp.mark,
    notional: holding.notional,
    unrealised: holding.unrealised,
    leverage: holding.leverage,
    maxLeverage: tierOf(perp.tiers, magnitude).maxLeverage,
    marginUsed: isIsolated ? valueOf(state, scope) : marginFor(holding.notional, holding.leverage),
    adlQuantile: rank(state, holding),
    liquidationPrice: liquidationPrice(state, account, holding, equity),
    updatedMs: holding.updatedMs,
    feesPaid: holding.feesPaid,
    realised: holding.realised,
    fundingAllTime: holding.funding.allTime,
    fundingSinceOpen: holding.funding.sinceOpen,
    fundingSinceChange: holding.funding.sinceChange,
    tpsl: tpslOf(state, holding),
  };
}

/**
 * Returns the first mark at which this instrument's margin account is liquidated if other marks
 * do not change. One price unit nearer to the current mark, the ratio is above 1. Let E be equity,
 * M the risk of the other instruments, s the net size, m the mark, and x × k the maintenance margin
 * and fee of the instrument's legs at mark x. The result solves E + s × (x − m) = M + x × k, which
 * is x = (M + s × m − E) / (s − k). The tier depends only on the size, so k does not depend on x.
 * Rounding maintenance margin and fee up can shift the result by a unit or two; larger shifts,
 * which occur if the slope is nearly flat, are ignored. Returns undefined if the result is not
 * above 0.
 */
function liquidationPrice(
  state: State,
  account: Account,
  holding: Holding,
  equity: MicroUsdc,
): number | undefined {
  const { perp } = holding;
  const legs = holding.isIsolated ? [holding] : crossLegs(account, perp);
  const others = othersOf(account, legs, holding.isIsolated);
  const { liquidationFeeE8 } = parametersOf(state);
  const one = BigInt(RATE_ONE);
  let net = 0n;
  let ownE8 = 0n;
  for (const { size } of legs) {
    const magnitude = Math.abs(size);
    const tier = tierOf(perp.tiers, magnitude);
    net += BigInt(size);
    ownE8 += BigInt(magnitude) * BigInt(tier.mmrE8 + liquidationFeeE8) - tier.deductionLotsE8;
  }
  const fixed = net * BigInt(perp.mark) - equity;
  const fee = liquidationFee(others.notional, liquidationFeeE8);
  const numerator = (others.maintenance + fee + fixed) * one;
  const denominator = net * one - ownE8;
  if (denominator === 0n) return undefined;
  const isDown = denominator > 0n;
  const isLiquidated = (mark: bigint): boolean => {
    let maintenance: bigint = others.maintenance;
    let value: bigint = others.notional;
    for (const { size } of legs) {
      maintenance += maintenanceMargin(perp.tiers, Math.abs(size), Number(mark));
      value += BigInt(Math.abs(size)) * mark;
    }
    const risk = maintenance + liquidationFee(microUsdc(value), liquidationFeeE8);
    return net * mark - fixed <= risk;
  };
  let price = isDown ? divFloor(numerator, denominator) : divCeil(-numerator, -denominator);
  if (price > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  const step = isDown ? 1n : -1n;
  for (let i = 0; i < ROUNDING_UNITS && price + step > 0n; i++) {
    if (!isLiquidated(price + step)) break;
    price += step;
  }
  return price > 0n ? Number(price) : undefined;
}

/** Returns an instrument's cross positions. In hedge mode, both legs share one mark. */
function crossLegs({ holdings }: Account, perp: Perp): Holding[] {
  return ([0, 1] as const).flatMap((leg) => {
    const holding = holdings.get(holdingKey(perp.definition.instrumentId, leg));
    return holding === undefined || holding.size === 0 ? [] : [holding];
  });
}

/** Returns a margin account's maintenance margin and notional, excluding the given positions. */
function othersOf(
  { margin }: Account,
  legs: readonly Holding[],
  isIsolated: boolean,
): { maintenance: MicroUsdc; notional: MicroUsdc } {
  let maintenance = isIsolated ? ZERO_USDC : margin.maintenance;
  let value = isIsolated ? ZERO_USDC : margin.notional;
  if (isIsolated) return { maintenance, notional: value };
  for (const leg of legs) {
    maintenance = subUsdc(maintenance, leg.maintenance);
    value = subUsdc(value, leg.notional);
  }
  return { maintenance, notional: value };
}

/**
 * Returns the number of lots ahead of a resting order at its price, or undefined if the order is
 * not resting or its queue is too long to count.
 */
export function lotsAhead(state: State, orderId: number): number | undefined {
  const { pool } = state;
  const slot = pool.find(orderId);
  if (slot === NONE) return undefined;
  const instrumentId = readSlotInt(pool.instrument, slot);
  const market = state.perps.get(instrumentId) ?? state.outcomes.markets.get(instrumentId);
  return market?.book.aheadOf(slot, LIMITS.observedQueue);
}

/**
 * Returns the id of an account's live order with a client order id. A queued order does not have an
 * order id yet.
 */
export function liveOrderOf(
  state: State,
  user: Address,
  clientOrderId: string,
): number | undefined {
  const account = state.accounts[state.accountIndex.get(user) ?? -1];
  const orderId = account?.clientOrders.get(clientOrderKey(clientOrderId) ?? '');
  return orderId !== undefined && orderId > 0 ? orderId : undefined;
}

/** Returns an account's fee tier; unknown accounts have the lowest tier. */
export function feeTierView(state: State, address: Address): FeeTierView {
  const { feeTiers } = parametersOf(state);
  const account = accountAt(state, address);
  const tier = account === undefined ? tierFor(feeTiers, ZERO_USDC) : accountTier(state, account);
  return {
    tier,
    volume14d: account === undefined ? ZERO_USDC : volume14d(account, state.timeMs),
    next: feeTiers.find(({ level }) => level > tier.level),
  };
}

type Impacts = {
  readonly height: number;
  readonly version: number;
  readonly bid: ImpactPrice | undefined;
  readonly ask: ImpactPrice | undefined;
};

/**
 * Impact prices are cached by book, not by perp, because forks of the state have their own books.
 */
const known = new WeakMap<Perp['book'], Impacts>();

/**
 * Returns the current funding of a perp, computed from orders that pass the fill test (R-fillable).
 */
function fundingView(
  state: State,
  perp: Perp,
): Pick<PerpView, 'fundingRateE10' | 'premiumE10' | 'impactBid' | 'impactAsk' | 'nextFundingMs'> {
  const { ask, bid } = impactsOf(state, perp);
  return {
    fundingRateE10: predictedRateE10(state, perp),
    premiumE10: isSampled(state, perp) ? premiumE10(perp, bid, ask) : undefined,
    impactBid: shownImpact(bid),
    impactAsk: shownImpact(ask),
    nextFundingMs: timeMs(nextFundingMs(state)),
  };
}

/**
 * Returns the impact prices of a perp. They are cached, so that its orders are tested once per
 * block and book version instead of on every read.
 */
function impactsOf(state: State, perp: Perp): Impacts {
  const { height } = state;
  const { version } = perp.book;
  const found = known.get(perp.book);
  if (found?.height === height && found.version === version) return found;
  const bid = impactOf(state, perp, true);
  const impacts = { height, version, bid, ask: impactOf(state, perp, false) };
  known.set(perp.book, impacts);
  return impacts;
}
