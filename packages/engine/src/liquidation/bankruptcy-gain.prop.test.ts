import { type Address, instrumentId, microUsdc, present, timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import { postToBalance, postToTreasury } from '../ledger/post.ts';
import type { BlockResult } from '../messages/block.ts';
import type { EngineEvent, LiquidationStep } from '../messages/event.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { accountValue } from '../perp/margin.ts';
import type { Account, Holding } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { actor, order, PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { randomIntegers } from '@oddlot/testing/engine/steps';
import { act } from '@oddlot/testing/engine/waiting';

/**
 * Checks that no account gains by going bankrupt, and that profitable accounts cover losses before
 * the fund goes below zero. Random traders hold one-way and hedged, cross and isolated positions;
 * the fund and the treasury are small, the books are empty or stale, and gaps are up to half the
 * price. A model that shares no code with the liquidations tracks every owner of isolated positions
 * through the events. It computes the value of each leg at the mark, and the owner's money after
 * the common part of a failing leg and the other leg has closed at the bankruptcy price.
 */

/** Fewer runs would not reach all checked situations. */
const RUNS = Math.max(300, Number(process.env['FUZZ_RUNS'] ?? 0));
const IDS = [1, 2].map(instrumentId);
const TRADERS = [1, 2, 3, 4, 5, 6].map((n) => actor(0x7700 + n));
const MAKERS = [1, 2].map((n) => actor(0x8800 + n));
const SPONSOR = actor(0x9900);
const FUND = PARAMETERS.insuranceFundAddress;

type Pick = (below: number) => number;
const oneOf = <T>(pick: Pick, ...values: readonly T[]): T => values[pick(values.length)] as T;

function opened(pick: Pick): Scenario {
  const venue = Scenario.open({ accounts: [], funds: 0 });
  // The history before the gap is checked by other tests.
  venue.checks = false;
  for (const id of IDS.slice(1)) {
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: id, name: `P${id}` } });
  }
  for (const each of [...MAKERS, SPONSOR]) venue.fund(each, 10_000_000_000_000);
  for (const trader of TRADERS) {
    venue.fund(trader, oneOf(pick, 60, 250, 1_000, 4_000) * 1_000_000);
    if (pick(3) > 0) act(venue, trader, { type: 'updatePositionMode', mode: 'hedge' });
    const marginMode = pick(5) > 1 ? 'isolated' : 'cross';
    const leverage = oneOf(pick, 5, 20, 50);
    for (const id of IDS) {
      act(venue, trader, { type: 'updateMarginMode', instrumentId: id, marginMode });
      for (const signed of [leverage, -leverage]) {
        act(venue, trader, { type: 'updateLeverage', instrumentId: id, leverage: signed });
      }
    }
  }
  const prices = IDS.map(() => 1_000_000);
  for (let round = 0; round < 3; round++) {
    for (const [at, last] of prices.entries()) {
      prices[at] = Math.floor((last * (1_000 + pick(41) - 20)) / 1_000);
    }
    push(venue, prices);
    for (let deals = 0; deals < 5; deals++) deal(venue, pick);
  }
  if (pick(3) === 0) dealWithFund(venue, pick);
  reserve(venue, pick);
  venue.checks = true;
  return venue;
}

function push(venue: Scenario, oracles: readonly number[]): BlockResult {
  const observedMs = timeMs(venue.wait(1_000).nowMs);
  const prices = IDS.map((id, at) => ({ instrumentId: id, oracle: oracles[at] ?? 0 }));
  return venue.block({ type: 'pushOracle', prices, observedMs });
}

/**
 * Gives the fund positions, which are never deleveraged. As a result, the opposite side is
 * sometimes too small for a failing account.
 */
function dealWithFund(venue: Scenario, pick: Pick): void {
  venue.fund(FUND, 10_000_000_000_000);
  const trader = oneOf(pick, ...TRADERS);
  const id = oneOf(pick, ...IDS);
  const { mark } = present(venue.state.perps.get(id), 'a perp');
  const price = Math.round(mark / PERP.priceTick) * PERP.priceTick;
  const isBuy = pick(2) === 0;
  const shape = { instrumentId: id, price, size: oneOf(pick, 400, 1_000, 4_000) };
  venue.place(FUND, order({ ...shape, isBuy }));
  venue.place(trader, order({ ...shape, isBuy: !isBuy, timeInForce: 'ioc' }));
  act(venue, FUND, { type: 'cancelAll' });
}

/**
 * Lets one account sell to another at the mark, which can close one-way positions; rejected orders
 * are ignored.
 */
function deal(venue: Scenario, pick: Pick): void {
  const id = oneOf(pick, ...IDS);
  const [buyer, seller] = [oneOf(pick, ...TRADERS), oneOf(pick, ...TRADERS)];
  if (buyer === seller) return;
  const { mark } = present(venue.state.perps.get(id), 'a perp');
  const price = Math.round(mark / PERP.priceTick) * PERP.priceTick;
  const size = oneOf(pick, 100, 400, 1_000, 4_000);
  const shape = { instrumentId: id, price, size };
  venue.place(seller, order({ ...shape, isBuy: false }));
  venue.place(buyer, order({ ...shape, timeInForce: 'ioc' }));
  act(venue, seller, { type: 'cancelAll' });
}

function reserve(venue: Scenario, pick: Pick): void {
  const fund = insuranceFund(venue.state);
  const toFund = BigInt(oneOf(pick, 0, 0, 20, 300, 100_000)) * 1_000_000n - fund.perpBalance;
  const toTreasury = BigInt(oneOf(pick, 0, 5, 200)) * 1_000_000n - venue.state.treasury;
  postToBalance(venue.state, fund, microUsdc(toFund));
  postToTreasury(venue.state, microUsdc(toTreasury));
  postToBalance(venue.state, venue.account(SPONSOR), microUsdc(-toFund - toTreasury));
}

/** Places orders of makers up to 12% from the mark, which are stale after a gap. */
function fillBooks(venue: Scenario, pick: Pick): void {
  for (let orders = pick(3) * 4; orders > 0; orders--) {
    const id = oneOf(pick, ...IDS);
    const { mark } = present(venue.state.perps.get(id), 'a perp');
    const isBuy = pick(2) === 0;
    const away = (mark * (1 + pick(120))) / 1_000;
    const price = Math.round((isBuy ? mark - away : mark + away) / 100) * 100;
    const size = oneOf(pick, 50, 300, 2_000);
    venue.place(oneOf(pick, ...MAKERS), order({ instrumentId: id, isBuy, price, size }));
  }
}

/** The isolated legs of an owner at the mark, and its payouts, according to the events. */
type IsolatedModel = { paid: bigint; slack: bigint; readonly legs: Map<Holding, Leg> };
type Leg = { size: number; equity: bigint };

function isolatedModelOf({ holdings, perpBalance }: Account): IsolatedModel {
  const legs = new Map<Holding, Leg>();
  let paid: bigint = perpBalance;
  for (const holding of holdings.values()) {
    const { cost, isolatedMargin, perp, reserved, size } = holding;
    paid += reserved;
    const equity = isolatedMargin + BigInt(size) * BigInt(perp.mark) - cost;
    if (size !== 0) legs.set(holding, { size, equity });
  }
  return { paid, slack: 0n, legs };
}

/**
 * Closes a part of a leg: released money is paid out, and a shortfall reduces the margin of the
 * remainder (R-isolated).
 */
function closePart(
  model: IsolatedModel,
  holding: Holding,
  size: number,
  price: number,
  fee = 0n,
): void {
  const leg = present(model.legs.get(holding), 'a leg that closes');
  const whole = BigInt(Math.abs(leg.size));
  const share = (leg.equity * BigInt(size)) / whole;
  const gain = BigInt(leg.size > 0 ? price - holding.perp.mark : holding.perp.mark - price);
  const cash = share + gain * BigInt(size) - fee;
  leg.equity -= share;
  if (cash >= 0n) model.paid += cash;
  else leg.equity += cash;
  leg.size -= Math.sign(leg.size) * size;
  // The margin and the cost are each rounded.
  model.slack += 2n;
}

/** Closes the common part of the failing leg and the other leg at the bankruptcy price. */
function closeAtBankruptcy(model: IsolatedModel, failing: Holding, price: number): void {
  const leg = present(model.legs.get(failing), 'a leg that fails');
  if (leg.size === 0) return;
  const other = [...model.legs.keys()].find(
    (each) => each.perp === failing.perp && each !== failing && model.legs.get(each)?.size !== 0,
  );
  // The bankruptcy price is rounded in favour of the leg, by less than a unit per lot.
  model.slack += BigInt(Math.abs(leg.size));
  if (other !== undefined) {
    const common = Math.min(Math.abs(leg.size), Math.abs(model.legs.get(other)?.size ?? 0));
    closePart(model, other, common, price);
    const rest = present(model.legs.get(other), 'the other leg');
    // A leg pays at most its equity; the missing amount is less than the loss of one lot.
    if (rest.equity < 0n) {
      rest.equity = 0n;
      model.slack += BigInt(Math.abs(price - failing.perp.mark));
    }
  }
  leg.size = 0;
  leg.equity = 0n;
}

const reached = {
  net: 0,
  netAfterMarket: 0,
  takenAfterNet: 0,
  insurance: 0,
  adl: 0,
  crossBankrupt: 0,
  treasuryPaid: 0,
  fundBelowZero: 0,
  noneLeft: 0,
  judged: 0,
};

class Entry {
  readonly #venue: Scenario;
  readonly #before = new Map<Address, () => IsolatedModel>();
  readonly #treasury: bigint;
  /** The last valid marks; no market is ever suspended in this test. */
  readonly #judged: Map<number, number>;

  constructor(venue: Scenario) {
    this.#venue = venue;
    this.#judged = new Map([...venue.state.perps].map(([id, { mark }]) => [id, mark]));
    this.#treasury = venue.state.treasury;
    for (const trader of TRADERS) {
      // Legs are priced at the mark of the liquidation step, which is known only from its event.
      const account = venue.account(trader);
      const frozen = { ...account, holdings: new Map(account.holdings) };
      for (const [key, holding] of frozen.holdings) frozen.holdings.set(key, { ...holding });
      this.#before.set(trader, () => {
        const { legs, ...rest } = isolatedModelOf(frozen);
        const live = [...legs].map(([copy, leg]) => {
          const found = [...account.holdings.values()].find(
            (each) => each.perp === copy.perp && each.leg === copy.leg,
          );
          return [present(found, 'a holding that stays'), leg] as const;
        });
        return { ...rest, legs: new Map(live) };
      });
    }
  }

  judge({ events }: BlockResult): void {
    for (const trader of TRADERS) {
      const account = this.#venue.account(trader);
      if ([...account.holdings.values()].some(({ isIsolated }) => isIsolated)) {
        this.#judgeIsolated(account, events);
      } else {
        judgeCross(account, events);
      }
    }
    const { state } = this.#venue;
    judgeDeleveraging(state, events);
    judgePrices(state, events, this.#judged);
    const value = accountValue(state, insuranceFund(state));
    if (value < 0n) {
      reached.fundBelowZero += 1;
      expect(state.treasury, 'the fund is below zero').toBe(0n);
    }
    if (state.treasury < this.#treasury) reached.treasuryPaid += 1;
  }

  #judgeIsolated(account: Account, events: readonly EngineEvent[]): void {
    const { address } = account;
    const model = present(this.#before.get(address), 'a trader')();
    const holdingIn = (id: number, sign: number): Holding =>
      present(
        [...model.legs].find(
          ([each, leg]) =>
            each.perp.definition.instrumentId === id && Math.sign(leg.size) === Math.sign(sign),
        )?.[0],
        'a leg of that side',
      );
    let failing: LiquidationStep | undefined;
    const seen = new Set<string>();
    for (const event of events) {
      if (event.type === 'tradeExecuted') {
        for (const side of [event.taker, event.maker]) {
          if (side.account !== address) continue;
          const holding = holdingIn(event.instrumentId, side.startPosition);
          closePart(model, holding, event.size, event.price, side.fee);
          seen.add('market');
        }
      }
      if (event.type === 'deleveraged' && event.account === address) {
        const sign = -Math.sign(failing?.positions[0]?.size ?? 0);
        const own = [...model.legs].find(
          ([each, leg]) =>
            each.perp.definition.instrumentId === event.instrumentId &&
            Math.sign(leg.size) === sign,
        );
        // The other leg of the same owner is handled together with the failing leg.
        if (own !== undefined && failing?.account !== address) {
          closePart(model, own[0], event.size, event.price);
        }
      }
      if (event.type !== 'liquidationStep' || event.step === 'cancel') continue;
      failing = event;
      if (event.account !== address || event.step === 'market') continue;
      count(event, seen);
      const first = present(event.positions[0], 'what fails');
      const leg = [...model.legs].find(
        ([each, { size }]) =>
          each.perp.definition.instrumentId === first.instrumentId &&
          Math.sign(size) === Math.sign(first.size),
      );
      // The model has already closed the remainder of a netted leg.
      if (leg !== undefined) closeAtBankruptcy(model, leg[0], event.price ?? 0);
    }
    let allowed = model.paid + model.slack;
    for (const { equity } of model.legs.values()) allowed += equity > 0n ? equity : 0n;
    let has: bigint = account.perpBalance;
    for (const { cost, isolatedMargin, perp, reserved, size } of account.holdings.values()) {
      has += reserved + isolatedMargin + BigInt(size) * BigInt(perp.mark) - cost;
    }
    if (seen.size > 0 && has > allowed) {
      expect.fail(`${address} has ${has} and would have ${allowed} without its bankruptcy`);
    }
  }
}

function count({ step }: LiquidationStep, seen: Set<string>): void {
  if (step === 'net') {
    reached.net += 1;
    if (seen.has('market')) reached.netAfterMarket += 1;
  }
  if (step === 'insurance') reached.insurance += 1;
  if (step === 'adl') reached.adl += 1;
  if (step !== 'net' && seen.has('net')) reached.takenAfterNet += 1;
  seen.add(step);
}

/** Checks that a cross account has no money left when its last position is taken over. */
function judgeCross(account: Account, events: readonly EngineEvent[]): void {
  const last = events.findLast(
    (event) => event.type === 'liquidationStep' && event.account === account.address,
  );
  if (last?.type !== 'liquidationStep' || last.step === 'cancel' || last.step === 'market') return;
  if ([...account.holdings.values()].some(({ size }) => size !== 0)) return;
  reached.crossBankrupt += 1;
  expect(account.perpBalance, `${account.address} is bankrupt`).toBe(0n);
}

/**
 * Checks that the fund receives positions, or that positions wait, only if no account on the
 * opposite side could take them. All accounts are considered, whatever their ratio (R-adl,
 * R-deficit).
 */
function judgeDeleveraging(state: State, events: readonly EngineEvent[]): void {
  for (const [at, event] of events.entries()) {
    if (event.type !== 'liquidationStep' || event.step !== 'adl') continue;
    const first = present(event.positions[0], 'what fails');
    let left = Math.abs(first.size);
    const changed = new Set<string>();
    let isOwn = true;
    for (const [later, each] of events.entries()) {
      if (later <= at) {
        // An account that traded earlier in the block has new lots, which cannot be closed in it.
        if (each.type === 'tradeExecuted') changed.add(each.taker.account).add(each.maker.account);
        continue;
      }
      if (each.type === 'liquidationStep' || each.type === 'tradeExecuted') isOwn = false;
      if (isOwn && each.type === 'deleveraged') left -= each.size;
      if (each.type === 'tradeExecuted') changed.add(each.taker.account).add(each.maker.account);
    }
    if (left === 0) continue;
    reached.noneLeft += 1;
    for (const account of state.accounts) {
      if (account.address === FUND || changed.has(account.address)) continue;
      for (const { perp, size } of account.holdings.values()) {
        if (perp.definition.instrumentId !== first.instrumentId) continue;
        const isOpposite = Math.sign(size) === -Math.sign(first.size);
        expect(isOpposite, `${account.address} could have taken ${left}`).toBe(false);
      }
    }
  }
}

/**
 * Checks that no account is deleveraged at a price worse for it than both the last valid mark and
 * the mark (R-liquidation).
 */
function judgePrices(
  { perps }: State,
  events: readonly EngineEvent[],
  judged: ReadonlyMap<number, number>,
): void {
  for (const [at, event] of events.entries()) {
    if (event.type !== 'deleveraged') continue;
    const { account, instrumentId: id, price, size } = event;
    const traded = events
      .slice(0, at)
      .findLast((each) => each.type === 'positionTraded' && each.account === account);
    const side = traded?.type === 'positionTraded' ? Math.sign(traded.startPosition) : 0;
    const marks = [judged.get(id) ?? 0, perps.get(id)?.mark ?? 0];
    if (side > 0) expect(price, 'a long').toBeGreaterThanOrEqual(Math.min(...marks));
    else expect(price, 'a short').toBeLessThanOrEqual(Math.max(...marks));
    if (size > 0) reached.judged += 1;
  }
}

test('R-liquidation, R-adl, R-deficit: no account gains by going bankrupt', () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const pick = randomIntegers(seed);
    const venue = opened(pick);
    const prices = IDS.map((id) => present(venue.state.perps.get(id), 'a perp').oracle);
    fillBooks(venue, pick);
    for (let entry = 0; entry < 5; entry++) {
      if (entry === 0 || pick(3) === 0) jumpPrices(prices, pick);
      const judged = new Entry(venue);
      const result = push(venue, prices);
      try {
        judged.judge(result);
      } catch (error) {
        throw new Error(`history of seed ${seed}, entry ${entry}`, { cause: error });
      }
    }
  }
  for (const [what, times] of Object.entries(reached)) {
    expect(times, `the histories reach ${what}`).toBeGreaterThan(0);
  }
});

function jumpPrices(prices: number[], pick: Pick): void {
  for (const [at, last] of prices.entries()) {
    const permille = oneOf(pick, 40, 120, 500);
    const moved = (last * (1_000 + pick(2 * permille + 1) - permille)) / 1_000;
    prices[at] = Math.max(200_000, Math.round(moved));
  }
}
