import {
  type Address,
  addUsdc,
  assert,
  type MicroUsdc,
  microUsdc,
  notional,
  present,
  RATE_ONE,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import {
  HAS_BUILDER,
  LEG_SHORT,
  NONE,
  readSlot,
  readSlotInt,
  REDUCE_ONLY,
  SIDE_BUY,
} from './book/order-pool.ts';
import { isBuilder } from './ledger/builders.ts';
import { clientOrderKey } from './messages/command.ts';
import { LIMITS } from './messages/limits.ts';
import { FRACTION_ONE } from './outcome/market-phase.ts';
import { outcomeSnapshotOf } from './outcome/outcome-order.ts';
import { hasPosition } from './perp-orders/end-order.ts';
import { reserveOf } from './perp-orders/rest-order.ts';
import { exposureOf, initialMargin } from './perp/margin.ts';
import { type Account, type Holding, holdingKey, legOf } from './state/account.ts';
import { isBehind, NO_PLACE } from './state/bridge.ts';
import { SAMPLES_PER_HOUR } from './state/sampled-hours.ts';
import { type MarketEvent, outcomeLegOf } from './state/outcome-market.ts';
import { maintenanceMargin, type Perp } from './state/perp.ts';
import type { State } from './state/state.ts';
import type { Firing, TriggerOrder } from './state/trigger-book.ts';
import type { OrderGroup } from './state/order-groups.ts';

/**
 * Checks all invariants that hold after every block, without using cached values. The cost grows
 * with the size of the state: tests and the simulation call it after every command, and a venue
 * calls it on request.
 */
export function checkInvariants(state: State): void {
  checkConservation(state);
  checkHolds(state);
  checkFund(state);
  checkReserves(state);
  checkOutcomes(state);
  checkOpenInterest(state);
  state.pool.checkConsistency();
  for (const id of state.perpIds) {
    const { book } = present(state.perps.get(id), 'a listed perp');
    book.checkConsistency();
    const bid = book.bestPrice(true);
    const ask = book.bestPrice(false);
    assert(bid === 0 || ask === 0 || bid < ask, `the book of ${id} is not crossed`);
    checkFunding(state, id);
  }
  for (const account of state.accounts) checkAccount(state, account);
  checkWaiting(state);
  checkBuilders(state);
  checkKeys(state);
  checkBridge(state);
}

/**
 * Checks that balances, holds and unclaimed rewards + unrealised PnL + treasury = deposits −
 * withdrawals, exactly (R-conservation). The signed sizes of a perp sum to zero, so at any mark its
 * total unrealised PnL is the negated sum of the signed costs.
 */
function checkConservation(state: State): void {
  let sum: bigint = state.treasury;
  for (const { locked } of state.outcomes.markets.values()) sum += locked;
  for (const { earned, claimed } of state.builderRewards.values()) sum += earned - claimed;
  for (const account of state.accounts) {
    sum += account.perpBalance + account.outcomeBalance + account.withdrawHold;
    sum += account.outcomeReserved;
    for (const holding of account.holdings.values()) {
      sum += holding.isolatedMargin + holding.reserved - holding.cost;
    }
  }
  const owed = state.deposited - state.withdrawn;
  assert(sum === owed, `money is conserved: ${sum} on the books, ${owed} owed`);
}

/** Checks that each account's hold is the sum of its pending withdrawals (R-withdraw). */
function checkHolds(state: State): void {
  assert(state.treasury >= 0n, 'the treasury pays what it has');
  const ids = [...state.withdrawals.keys()];
  assert(isAscending(ids), 'withdrawals are iterated by id');
  assert((ids.at(-1) ?? 0) < state.nextWithdrawalId, 'the next withdrawal has a new id');
  const holds = state.accounts.map(() => 0n);
  for (const { accountIndex, amount, fee } of state.withdrawals.values()) {
    assert(fee >= 0n && fee <= amount, 'the fee of a withdrawal comes out of its amount');
    holds[accountIndex] = present(holds[accountIndex], 'the owner of a withdrawal') + amount;
  }
  for (const { address, index, outcomeBalance, withdrawHold } of state.accounts) {
    assert(withdrawHold === holds[index], `the hold of ${address} is that of its withdrawals`);
    assert(outcomeBalance >= 0n, `${address} never spends more outcome money than it has`);
  }
}

/** Checks that every reserve belongs to a live order (R-reserve). */
function checkReserves(state: State): void {
  for (const [orderId, reserve] of state.reserves) {
    assert(state.pool.find(orderId) !== NONE, `the reserve of ${orderId} is that of a live order`);
    assert(reserve > 0n, 'a reserve of nothing is none');
  }
}

function checkOpenInterest(state: State): void {
  const net = new Map<number, number>();
  const long = new Map<number, number>();
  const holders = new Map(state.perpIds.map((id) => [id, [] as number[]]));
  for (const account of state.accounts) {
    for (const { leg, perp, size } of account.holdings.values()) {
      const id = perp.definition.instrumentId;
      if (size !== 0) present(holders.get(id), 'a listed perp').push(2 * account.index + leg);
      net.set(id, (net.get(id) ?? 0) + size);
      long.set(id, (long.get(id) ?? 0) + Math.max(size, 0));
    }
  }
  for (const id of state.perpIds) {
    assert((net.get(id) ?? 0) === 0, `longs and shorts of ${id} are equal`);
    const perp = present(state.perps.get(id), 'a listed perp');
    const { openInterest } = perp;
    const indexed = [...perp.holders.keys()].sort((a, b) => a - b);
    const held = holders.get(id)?.sort((a, b) => a - b);
    assert(String(indexed) === String(held), `the holders of ${id} are those with a position`);
    assert((long.get(id) ?? 0) === openInterest, `the open interest of ${id} is the longs' sum`);
  }
}

/**
 * Checks that funding samples are bounded and that a delisted perp has no positions, orders or
 * funding left to settle.
 */
function checkFunding(state: State, id: number): void {
  const perp = present(state.perps.get(id), 'a listed perp');
  const { due, samples, sum } = perp.funding;
  assert(due === undefined, `funding of ${id} that fell due is paid`);
  assert(samples >= 0 && samples <= SAMPLES_PER_HOUR, `an hour of ${id} has its samples at most`);
  assert(samples > 0 || sum === 0n, `no samples of ${id}, no sum`);
  checkClosing(state, perp);
  if (!perp.delisted) return;
  assert(perp.halted && perp.openInterest === 0, `${id} is delisted and has no positions`);
  assert(perp.book.orderCount === 0, `${id} is delisted and its book is empty`);
  const waits = state.triggers.all().some(({ request }) => request.instrumentId === id);
  assert(!waits, `${id} is delisted and nothing waits for its mark`);
}

/**
 * Checks that no order can open a position after the first log entry of a closing hour (R-delist).
 */
function checkClosing({ pool, triggers }: State, perp: Perp): void {
  const { instrumentId: id } = perp.definition;
  const { closing } = perp;
  if (closing === undefined) return;
  const { isWaiting, looked, samples, sum } = closing;
  assert(samples <= looked && looked <= SAMPLES_PER_HOUR, `the hour of ${id} has its samples`);
  assert(samples > 0 || sum === 0, `no samples of ${id}, no sum`);
  assert(!isWaiting || perp.halted, `${id} waits for a price and is halted`);
  for (const isBuy of [true, false]) {
    perp.book.forEachSlot(isBuy, (slot) => {
      assert(
        (readSlotInt(pool.flags, slot) & REDUCE_ONLY) !== 0,
        `only what reduces rests in ${id}`,
      );
    });
  }
  const mayOpen = triggers
    .all()
    .some(({ request }) => request.instrumentId === id && !request.reduceOnly);
  assert(!mayOpen, `only what reduces waits in ${id}`);
}

function checkVolume({ address, volume }: Account): void {
  assert(volume.days.length <= LIMITS.volumeDays, `${address} keeps 15 days of volume`);
  const isSorted = isAscending(volume.days.map(({ day }) => day));
  assert(isSorted, `the days of ${address} are in order`);
}

/**
 * Returns true if keys ascend. Otherwise, a map built over time and a restored one would iterate in
 * different orders.
 */
function isAscending(keys: readonly number[]): boolean {
  return keys.every((key, at) => at === 0 || (keys[at - 1] ?? 0) < key);
}

function checkAccount(state: State, account: Account): void {
  checkVolume(account);
  assert(isAscending([...account.holdings.keys()]), 'holdings are iterated by instrument and leg');
  assert(isAscending([...account.settings.keys()]), 'settings are iterated by instrument');
  let live = 0;
  for (const holding of account.holdings.values()) {
    live += checkHolding(state, account, holding);
  }
  for (const { orders } of account.outcomes.values()) live += orders.count;
  checkOrderLists(account);
  for (const { accountIndex } of state.outcomes.queue.all()) {
    if (accountIndex === account.index) live += 1;
  }
  assert(isAscending([...account.outcomes.keys()]), 'outcome holdings are iterated by instrument');
  assert(live === account.liveOrders, `${account.address} has the orders that it counts`);
  checkMargin(state, account);
}

function checkOrderLists({ address, holdings, orderLists, outcomes }: Account): void {
  const places = [...holdings.values(), ...outcomes.values()];
  const filled = places.filter(({ orders }) => orders.count > 0);
  const areKnown = filled.every(({ orders }) => orderLists.has(orders));
  assert(areKnown && filled.length === orderLists.size, `${address} knows where its orders rest`);
}

function checkHolding(state: State, account: Account, holding: Holding): number {
  const { pool } = state;
  const id = holding.perp.definition.instrumentId;
  const sums = [0, 0, 0, 0];
  let reserved = 0n;
  let count = 0;
  for (let slot = holding.orders.head; slot !== NONE; slot = readSlotInt(pool.ownNext, slot)) {
    count += 1;
    assert(readSlotInt(pool.account, slot) === account.index, 'an order is in its owner’s list');
    assert(readSlotInt(pool.instrument, slot) === id, 'an order is in its instrument’s list');
    const flags = readSlotInt(pool.flags, slot);
    const column = ((flags & SIDE_BUY) !== 0 ? 0 : 1) + ((flags & REDUCE_ONLY) !== 0 ? 2 : 0);
    sums[column] = (sums[column] ?? 0) + readSlot(pool.remaining, slot);
    assert(((flags & LEG_SHORT) !== 0) === (holding.leg === 1), 'an order is in its leg’s list');
    reserved += reserveOf(state, readSlot(pool.orderId, slot));
    const hasBuilder = (flags & HAS_BUILDER) !== 0;
    const isCharged = state.orderBuilders.has(readSlot(pool.orderId, slot));
    assert(hasBuilder === isCharged, 'an order knows whether a builder charges for it');
  }
  assert(reserved === holding.reserved, 'what orders hold back adds up');
  const isHedged = account.positionMode === 'hedge';
  assert(
    !isHedged || (holding.leg === 0 ? holding.size >= 0 : holding.size <= 0),
    'legs have sides',
  );
  assert(holding.leg === 0 || isHedged || holding.size === 0, 'one-way mode has one leg');
  const isBacked = holding.isIsolated && holding.size !== 0;
  assert(isBacked || holding.isolatedMargin === 0n, 'no isolated position, no isolated margin');

  const recorded = [holding.restingBuy, holding.restingSell, holding.reduceBuy, holding.reduceSell];
  assert(String(recorded) === String(sums), `resting sizes add up: ${recorded} against ${sums}`);
  assert(holding.reduceSell <= Math.max(holding.size, 0), 'reduce-only sells have a long behind');
  assert(holding.reduceBuy <= Math.max(-holding.size, 0), 'reduce-only buys have a short behind');
  assert(holding.size !== 0 || holding.cost === 0n, 'no position, no cost');
  const exposure = exposureOf(holding);
  assert(initialMargin(holding.perp, exposure, holding.leverage) >= 0n, 'margin is not negative');
  return count;
}

type Parts = {
  readonly unrealised: MicroUsdc;
  readonly initial: MicroUsdc;
  readonly maintenance: MicroUsdc;
  readonly notional: MicroUsdc;
};

const NO_PARTS: Parts = {
  unrealised: ZERO_USDC,
  initial: ZERO_USDC,
  maintenance: ZERO_USDC,
  notional: ZERO_USDC,
};

/**
 * Checks that an account's cached margin equals the margin computed from its holdings and the
 * marks. The margin is computed separately, because refreshing the cached sums would hide a missing
 * update. Sums at older marks are not compared, because they are recomputed before use.
 */
function checkMargin(state: State, account: Account): void {
  if (account.margin.epoch !== state.markEpoch) return;
  let sums = NO_PARTS;
  for (const holding of account.holdings.values()) {
    const parts = partsOf(holding);
    const id = holding.perp.definition.instrumentId;
    assert(isSame(parts, holding), `the margin that ${account.address} keeps of ${id} is right`);
    if (!holding.isIsolated) sums = sumOf(sums, parts);
  }
  const isRight = isSame(sums, account.margin);
  assert(isRight, `the margin sums of ${account.address} are those of its holdings`);
}

function partsOf(holding: Holding): Parts {
  const { cost, leverage, perp, size } = holding;
  const magnitude = Math.abs(size);
  return {
    unrealised: subUsdc(notional(perp.mark, size), cost),
    initial: initialMargin(perp, exposureOf(holding), leverage),
    maintenance: maintenanceMargin(perp.tiers, magnitude, perp.mark),
    notional: notional(perp.mark, magnitude),
  };
}

function sumOf(a: Parts, b: Parts): Parts {
  return {
    unrealised: addUsdc(a.unrealised, b.unrealised),
    initial: addUsdc(a.initial, b.initial),
    maintenance: addUsdc(a.maintenance, b.maintenance),
    notional: addUsdc(a.notional, b.notional),
  };
}

function isSame(a: Parts, b: Parts): boolean {
  return (
    a.unrealised === b.unrealised &&
    a.initial === b.initial &&
    a.maintenance === b.maintenance &&
    a.notional === b.notional
  );
}

/**
 * Checks that the distance of the fund's next unwinding order from the mark is within its band
 * (R-insurance-fund).
 */
function checkFund({ fundUnwindBands, parameters, perps }: State): void {
  assert(parameters !== undefined || fundUnwindBands.size === 0, 'no venue, nothing to unwind');
  if (parameters === undefined) return;
  const { insuranceUnwindBandE8 } = parameters;
  for (const [id, bandE8] of fundUnwindBands) {
    assert(perps.has(id), `the fund unwinds ${id}, which is listed`);
    const isInside = bandE8 >= 0 && bandE8 <= insuranceUnwindBandE8;
    assert(isInside, `the fund offers ${id} at ${bandE8} from the mark`);
  }
}

function checkKeys(state: State): void {
  for (const [agent, { accountIndex, label }] of state.agents) {
    const owner = present(state.accounts[accountIndex], 'the owner of an agent');
    assert(owner.agents.get(label)?.agent === agent, 'both sides of an agent binding agree');
  }
  const labels = state.accounts.reduce((sum, { agents }) => sum + agents.size, 0);
  assert(labels === state.agents.size, 'every label has its own agent');
  for (const account of state.accounts) {
    checkSigners(account);
    checkBounds(account);
  }
  for (const [signer, { used }] of state.signers) {
    assert(used.length <= LIMITS.noncesPerSigner, `${signer} has its number of nonces`);
  }
  checkVaults(state);
  for (const { codes } of state.gates) {
    for (const [code, { maxUses, uses }] of codes) {
      assert(uses <= maxUses, `the code ${code} is granted as often as it may be`);
    }
  }
}

function checkBounds({ address, agents, builders, liveOrders }: Account): void {
  assert(agents.size <= LIMITS.agentsPerAccount, `${address} has its number of agents`);
  assert(builders.size <= LIMITS.buildersPerAccount, `${address} has its number of builders`);
  assert(liveOrders <= LIMITS.ordersPerAccount, `${address} has its number of live orders`);
}

function checkSigners({ address, multiSig }: Account): void {
  if (multiSig === undefined) return;
  const { threshold, users } = multiSig;
  const isSet = new Set(users).size === users.length && users.length <= LIMITS.multiSigUsers;
  assert(isSet && !users.includes(address), `the signers of ${address} are a set of others`);
  assert(threshold >= 1 && threshold <= users.length, `${address} can reach its threshold`);
}

function checkVaults(state: State): void {
  for (const [vault, { accountIndex, shares, totalShares }] of state.vaults) {
    const account = present(state.accounts[accountIndex], 'the account of a vault');
    assert(account.address === vault, 'a vault has the account under its own address');
    const isVaultOnly =
      account.multiSig === undefined && !state.agents.has(vault) && !isBuilder(state, vault);
    assert(isVaultOnly, `the vault ${vault} is not a multi-sig account, agent or builder`);
    let sum = 0n;
    for (const count of shares.values()) {
      assert(count > 0n, 'who holds shares holds some');
      sum += count;
    }
    assert(sum === totalShares, `the shares of ${vault} add up`);
  }
}

function checkBuilders(state: State): void {
  const { pool } = state;
  for (const [orderId, { feeTenthsBp, makerOwed, takerOwed }] of state.orderBuilders) {
    const slot = pool.find(orderId);
    const isKnown = slot !== NONE && (readSlotInt(pool.flags, slot) & HAS_BUILDER) !== 0;
    assert(isKnown, 'a builder charges for a live order that knows of it');
    assert(feeTenthsBp > 0, 'a builder that charges nothing is none');
    for (const owed of [takerOwed, makerOwed]) {
      assert(owed >= 0 && owed < RATE_ONE, 'less than one micro-USDC is owed to a builder');
    }
  }
  const approvals = new Map<Address, number>();
  for (const { address, builders } of state.accounts) {
    assert(builders.size <= LIMITS.buildersPerAccount, `${address} has its number of builders`);
    for (const builder of builders.keys()) {
      approvals.set(builder, (approvals.get(builder) ?? 0) + 1);
    }
  }
  for (const [builder, rewards] of state.builderRewards) {
    const { claimed, earned } = rewards;
    assert(claimed >= 0n && claimed <= earned, `${builder} has claimed what it earned at most`);
    assert(rewards.approvals === (approvals.get(builder) ?? 0), `the approvals of ${builder}`);
    assert(earned > 0n || rewards.approvals > 0, `${builder} is a builder`);
    approvals.delete(builder);
  }
  assert(approvals.size === 0, 'every approved account is known as a builder');
}

function checkBridge({ accountIndex, agents, bridge, deposited }: State): void {
  if (bridge === undefined) return;
  const { chainId, credited, cursor, floors, kept, pegs, unusedAgents } = bridge;
  assert(credited.size <= LIMITS.depositsKept, 'the venue keeps its number of deposits');
  assert(kept.size <= LIMITS.depositsAsideKept, 'the venue keeps its number of deposits aside');
  for (const key of kept.keys()) assert(!credited.has(key), 'what is kept is not credited');
  assert(bridge.creditedTotal <= deposited, 'deposits are part of what came in');
  assert(pegs.size <= LIMITS.pegsKept, 'the venue keeps its number of pegs');
  const floor = floors.get(chainId) ?? NO_PLACE;
  assert(
    cursor === NO_PLACE || !isBehind(floor, cursor),
    'the cursor is not before what is forgotten',
  );
  for (const agent of unusedAgents.keys()) {
    assert(agents.has(agent), 'who has never used a binding has one');
  }
  for (const peg of pegs.keys()) assert(!accountIndex.has(peg), 'a noted peg has no account yet');
}

function checkOutcomes(state: State): void {
  const { outcomes } = state;
  const yes = new Map<number, number>();
  const no = new Map<number, number>();
  const places = new Map<number, number>();
  let resting = 0;
  for (const account of state.accounts) {
    checkOutcomeAccount(state, account);
    for (const [id, holding] of account.outcomes) {
      const isKnown = holding.market.holders.has(account.index);
      assert(isKnown, `${id} knows that ${account.address} has a place in it`);
      places.set(id, (places.get(id) ?? 0) + 1);
      yes.set(id, (yes.get(id) ?? 0) + holding.yes.size);
      no.set(id, (no.get(id) ?? 0) + holding.no.size);
    }
  }
  for (const id of outcomes.marketIds) {
    const market = present(outcomes.markets.get(id), 'a listed market');
    market.book.checkConsistency();
    const bid = market.book.bestPrice(true);
    const ask = market.book.bestPrice(false);
    assert(bid === 0 || ask === 0 || bid < ask, `the book of ${id} is not crossed`);
    const rests = market.book.orderCount > 0;
    const mayRest = market.phase === 'open' || market.phase === 'halted';
    assert(!rests || mayRest, `nothing rests in ${id} while it is ${market.phase}`);
    resting += market.book.orderCount;
    assert(market.holders.size === (places.get(id) ?? 0), `${id} knows who has a place in it`);
    if (market.phase === 'resolved') {
      const { fraction } = present(market.resolution, 'a resolution');
      const owed =
        BigInt(yes.get(id) ?? 0) * BigInt(fraction) +
        BigInt(no.get(id) ?? 0) * BigInt(market.unit - fraction);
      assert(market.locked === owed, `what ${id} has locked is what its holders are owed`);
      continue;
    }
    // The total of YES, the total of NO and the locked collateral are equal (R-conservation).
    assert((yes.get(id) ?? 0) === market.pairs, `the YES shares of ${id} are its pairs`);
    assert((no.get(id) ?? 0) === market.pairs, `the NO shares of ${id} are its pairs`);
    const locked = microUsdc(BigInt(market.pairs) * BigInt(market.unit));
    assert(market.locked === locked, `${id} locks 1.00 for each share of a pair`);
  }
  assert(resting === outcomes.orderTx.size, 'every resting order, and no other, has its action');
  for (const event of outcomes.events.values()) checkEvent(state, event);
}

/** Checks that the counts of an event match the resolutions of its markets (R-event-sets). */
function checkEvent({ outcomes }: State, event: MarketEvent): void {
  let resolved = 0;
  let sum = 0;
  for (const id of event.instrumentIds) {
    const market = outcomes.markets.get(id);
    const settled = outcomes.settled.get(id);
    const fraction = market?.resolution?.fraction ?? settled?.fraction;
    if (fraction === undefined) continue;
    resolved += 1;
    sum += fraction * 10 ** (market?.definition ?? present(settled, 'a settled market')).szDecimals;
  }
  const isCounted = resolved === event.resolved && sum === event.fractionSum;
  assert(isCounted, `${event.slug} counts its results`);
  assert(!event.mutuallyExclusive || sum <= FRACTION_ONE, `${event.slug} pays one at most`);
}

/**
 * Checks that reserves of outcome orders match the account and that nothing is reserved twice
 * (R-reserve).
 */
function checkOutcomeAccount(state: State, account: Account): void {
  const { pool } = state;
  let reserved = 0n;
  const sells = new Map<string, number>();
  const sell = (id: number, leg: string, size: number): void => {
    const key = `${id}/${leg}`;
    sells.set(key, (sells.get(key) ?? 0) + size);
  };
  for (const [id, holding] of account.outcomes) {
    for (let slot = holding.orders.head; slot !== NONE; slot = readSlotInt(pool.ownNext, slot)) {
      const order = outcomeSnapshotOf(state, slot);
      if ((readSlotInt(pool.flags, slot) & REDUCE_ONLY) !== 0) {
        sell(id, outcomeLegOf(order), order.remaining);
      } else {
        reserved += present(state.reserves.get(order.orderId), 'the reserve of a buy');
      }
    }
  }
  for (const { accountIndex, request, reserve } of state.outcomes.queue.all()) {
    if (accountIndex !== account.index) continue;
    if (request.reduceOnly) sell(request.instrumentId, outcomeLegOf(request), request.size);
    else reserved += reserve;
  }
  assert(account.outcomeReserved === reserved, `${account.address} reserves what its buys need`);
  assert(account.outcomeBalance >= 0n, `${account.address} has not spent twice`);
  for (const [id, holding] of account.outcomes) {
    for (const leg of ['yes', 'no'] as const) {
      const shares = holding[leg];
      const held = sells.get(`${id}/${leg}`) ?? 0;
      assert(shares.reserved === held, `${account.address} reserves the shares of its sells`);
      assert(shares.reserved <= shares.size, `${account.address} sells what it has in ${id}`);
      assert(shares.size > 0 || shares.cost === 0n, 'no shares, no cost');
    }
  }
}

function checkWaiting(state: State): void {
  const perAccount = new Map<number, number>();
  const perInstrument = new Map<string, number>();
  for (const trigger of state.triggers.all()) {
    checkTrigger(state, trigger);
    const { accountIndex, request } = trigger;
    const key = `${accountIndex}:${request.instrumentId}`;
    perAccount.set(accountIndex, (perAccount.get(accountIndex) ?? 0) + 1);
    perInstrument.set(key, (perInstrument.get(key) ?? 0) + 1);
  }
  for (const [accountIndex, count] of perAccount) {
    assert(count <= LIMITS.triggersPerAccount, 'an account has its number of triggers');
    assert(count === state.triggers.countOf(accountIndex), 'triggers are found by account');
  }
  for (const count of perInstrument.values()) {
    assert(count <= LIMITS.triggersPerInstrument, 'an instrument has its number of triggers');
  }
  for (const [orderId] of state.triggers.allFired()) {
    assert(state.pool.find(orderId) !== NONE, 'an order that was a trigger is in the book');
  }
  for (const group of state.groups.all()) checkGroup(state, group);
  for (const [, atMs] of state.schedules.all()) {
    assert(atMs > state.timeMs, 'a scheduled cancel is in the future');
  }
  checkClientOrders(state);
}

function checkTrigger(state: State, trigger: TriggerOrder): void {
  const { groupId, isDormant, orderId, request } = trigger;
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  assert(state.pool.find(orderId) === NONE, 'an order waits or rests, not both');
  assert(state.perps.has(request.instrumentId), 'a trigger is of a listed perp');
  if (request.clientOrderId !== undefined) {
    const key = present(clientOrderKey(request.clientOrderId), 'a valid client order id');
    assert(account.clientOrders.get(key) === orderId, 'a trigger is found by its client order id');
  }
  const group = state.groups.of(orderId);
  const isChild = group?.childIds.includes(orderId) === true;
  assert((groupId !== undefined) === isChild, 'a child is in its group');
  assert(groupId === undefined || group?.groupId === groupId, 'a child knows its group');
  const parentId = isChild ? group?.parentId : undefined;
  const filled = parentId === undefined ? undefined : filledBy(state, parentId);
  assert(isDormant === (filled === 0), 'a child sleeps while its parent has filled nothing');
  const isGrown = filled === undefined || filled === 0 || trigger.sizeMax === filled;
  assert(isGrown, 'a child may sell what its parent has filled');
  if (trigger.firing !== undefined) checkFiring(state, account, trigger, trigger.firing);
}

/** Returns the filled size of a live parent, in the book or waiting (R-grouping). */
function filledBy({ pool, triggers }: State, orderId: number): number {
  const slot = pool.find(orderId);
  if (slot === NONE) return triggers.find(orderId)?.firing?.filled ?? 0;
  return readSlot(pool.original, slot) - readSlot(pool.remaining, slot);
}

/** Checks that only a reducing trigger retries, and only while there is a position (R-trigger). */
function checkFiring(
  { timeMs }: State,
  account: Account,
  { dueMs, isDormant, request }: TriggerOrder,
  { nextMs, rest }: Firing,
): void {
  assert(request.reduceOnly && request.trigger.isMarket, 'who tries on reduces');
  assert(!isDormant && dueMs === undefined, 'who tries on has fired');
  assert(rest > 0, 'who tries on has a rest');
  assert(nextMs <= timeMs + LIMITS.triggerRetryMs, 'the next try is at most a second away');
  const key = holdingKey(request.instrumentId, legOf(account, request));
  const size = account.holdings.get(key)?.size ?? 0;
  assert(request.isBuy ? size < 0 : size > 0, 'who tries on has a position to reduce');
}

function checkGroup(state: State, group: OrderGroup): void {
  const { childIds, kind, parentId } = group;
  const isLive = (orderId: number): boolean =>
    state.triggers.find(orderId) !== undefined || state.pool.find(orderId) !== NONE;
  assert(childIds.length === 1 || childIds.length === 2, 'a group has one child or two');
  for (const childId of childIds) {
    assert(isLive(childId), 'a child of a group is live');
    assert(state.groups.of(childId) === group, 'a group is found by its children');
  }
  if (parentId !== undefined) {
    assert(isLive(parentId) && kind === 'normal', 'a child that sleeps has a live parent');
    assert(state.groups.of(parentId) === group, 'a group is found by its parent');
  }
  if (kind !== 'position') return;
  assert(hasPosition(group), 'what hangs on a position has one');
  assert([...state.groups.attachedTo(group.holding)].includes(group), 'found by its position');
}

function checkClientOrders(state: State): void {
  const queued = new Set(state.outcomes.queue.all().map(({ queueId }) => -queueId));
  for (const account of state.accounts) {
    for (const orderId of account.clientOrders.values()) {
      const isLive =
        queued.has(orderId) ||
        state.triggers.find(orderId) !== undefined ||
        state.pool.find(orderId) !== NONE;
      assert(isLive, 'a client order id is that of a live order');
    }
  }
}
