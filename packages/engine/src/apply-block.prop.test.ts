import { type Address, timeMs } from '@oddlot/units';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import { SIDE_BUY } from './book/order-pool.ts';
import { checkCommand } from './commands/commands.ts';
import { dump } from './dump/dump.ts';
import type { CommandResult } from './messages/block.ts';
import type { Command } from './messages/command.ts';
import { accountValue, exposureOf } from './perp/margin.ts';
import { findOrder } from './read/read.ts';
import { holdingKey } from './state/account.ts';
import { type BookObserver, createState, type State } from './state/state.ts';
import { Reached } from '@oddlot/testing/engine/reached';
import { Scenario } from '@oddlot/testing/engine/scenario';
import {
  openVenue,
  perpAt,
  randomIntegers,
  randomStep,
  type Step,
  toCommand,
  TRADERS,
} from '@oddlot/testing/engine/steps';

/**
 * The number of random histories. In each, poor and rich traders make random steps on two perps.
 * Each command has its own block, at a time when nothing else is due, so that only the command can
 * cause a difference between the states before and after it. The scenario checks all invariants
 * after every block. A step refers to orders and prices by position, so that a failing history
 * shrinks.
 */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 15);

type Timed = { readonly waitMs: number; readonly step: Step };

const who = fc.nat(3);
const place: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('place'),
  who,
  byAgent: fc.boolean(),
  perp: fc.nat(1),
  isBuy: fc.boolean(),
  ticks: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: -20, max: 20 }) },
    { weight: 3, arbitrary: fc.integer({ min: -600, max: 600 }) },
    { weight: 1, arbitrary: fc.integer({ min: -8_100, max: 8_100 }) },
  ),
  size: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 100, max: 4_000 })),
  share: fc.oneof(fc.constant(0), fc.integer({ min: 20, max: 101 })),
  timeInForce: fc.constantFrom('gtc', 'gtc', 'gtd', 'alo', 'ioc', 'market'),
  reduceOnly: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  client: fc.oneof(fc.constant(0), fc.nat(4)),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 14, arbitrary: place },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel'), who, nth: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('cancelByClientId'),
      who,
      client: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('oracle'),
      perp: fc.nat(1),
      permille: fc.integer({ min: -60, max: 60 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('agent'),
      who,
      label: fc.nat(2),
      agent: fc.nat(5),
    }),
  },
);
const waitMs = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.nat(1_500) },
  { weight: 1, arbitrary: fc.nat(40_000) },
);
const history = fc.array(fc.record({ waitMs, step }), {
  minLength: 10,
  maxLength: 90,
  size: 'max',
});

type Visit = (scenario: Scenario, command: Command, step: Step) => void;

function play(steps: readonly Timed[], visit: Visit): void {
  const scenario = Scenario.open({ accounts: [] });
  openVenue(scenario);
  for (const { waitMs: ms, step: next } of steps) {
    scenario.wait(ms);
    scenario.block();
    visit(scenario, toCommand(scenario, next), next);
  }
}

type Before = { readonly size: number; readonly exposure: number };

function holdingsOf(scenario: Scenario, trader: Address, perp: number): Before {
  const key = holdingKey(perpAt(perp).instrumentId, 0);
  const holding = scenario.account(trader).holdings.get(key);
  return { size: holding?.size ?? 0, exposure: holding === undefined ? 0 : exposureOf(holding) };
}

/** Returns true if the position moved towards zero and did not cross it. */
function onlyReduced(before: number, after: number): boolean {
  return before !== 0 && after / before >= 0 && Math.abs(after) < Math.abs(before);
}

function isRefused(outcome: CommandResult): boolean {
  const entries = outcome.entries ?? [];
  return (
    outcome.reject !== undefined ||
    (entries.length > 0 && entries.every(({ state }) => state === 'rejected'))
  );
}

/**
 * Returns the state without nonces, order ids and the height, because rejected commands can change
 * those.
 */
function comparableState(scenario: Scenario): string {
  const { signers: _s, nextOrderId: _n, height: _h, digest: _d, ...rest } = dump(scenario.state);
  return JSON.stringify(rest);
}

describe('for any history, an account that trades stays covered and rejected commands change nothing', () => {
  test('R-initial, R-fill-check: an account that trades is covered or only reduces its position', () => {
    const reached = new Reached();
    const covered: Visit = (scenario, command, next) => {
      if (next.kind !== 'place') return void scenario.block(command);
      const before = TRADERS.map((trader) => holdingsOf(scenario, trader, next.perp));
      scenario.block(command);
      for (const [at, trader] of TRADERS.entries()) {
        const was = before[at]!;
        const is = holdingsOf(scenario, trader, next.perp);
        if (is.size === was.size && is.exposure <= was.exposure) continue;
        if (onlyReduced(was.size, is.size)) {
          reached.note('only reduced');
          continue;
        }
        reached.note(is.size === was.size ? 'more exposure' : 'another position');
        const account = scenario.account(trader);
        const value = accountValue(scenario.state, account);
        expect(value >= account.margin.initial, `${trader} is covered`).toBe(true);
      }
    };
    fc.assert(
      fc.property(history, (steps) => play(steps, covered)),
      { numRuns: RUNS },
    );
    reached.demand(RUNS, 'more exposure', 'another position');
    reached.demand(1, 'only reduced');
  });

  test('a rejected command changes only its nonce', () => {
    const reached = new Reached();
    const unchanged: Visit = (scenario, command) => {
      const before = comparableState(scenario);
      if (!isRefused(scenario.outcome(command))) return;
      reached.note(command.type);
      expect(comparableState(scenario)).toBe(before);
    };
    fc.assert(
      fc.property(history, (steps) => play(steps, unchanged)),
      { numRuns: RUNS },
    );
    reached.demand(RUNS, 'placeOrders');
    reached.demand(1, 'cancelOrders', 'cancelByClientId', 'approveAgent');
  });

  test('admission rejects an order exactly when execution does, for the same reason', () => {
    const reached = new Reached();
    const agreed: Visit = (scenario, command, next) => {
      const digest = comparableState(scenario);
      const admitted = checkCommand(scenario.state, command, scenario.nowMs);
      expect(comparableState(scenario)).toBe(digest);
      const executed = scenario.outcome(command);
      if (next.kind === 'cancel' || next.kind === 'cancelByClientId') return;
      const refusal = executed.reject ?? executed.entries?.[0]?.reject;
      const isBookFault = refusal?.reason === 'postOnlyWouldTrade';
      reached.note(
        isBookFault ? 'left to the book' : refusal === undefined ? 'granted' : 'refused',
      );
      expect(admitted.reject).toEqual(isBookFault ? undefined : refusal);
      expect(admitted.account).toBe(executed.account);
    };
    fc.assert(
      fc.property(history, (steps) => play(steps, agreed)),
      { numRuns: RUNS },
    );
    reached.demand(1, 'granted', 'refused', 'left to the book');
  });

  test('trading conserves value: account values and fees equal the deposits', () => {
    const reached = new Reached();
    const conserved: Visit = (scenario, command) => {
      const values = () =>
        scenario.state.accounts.reduce((sum, one) => sum + accountValue(scenario.state, one), 0n);
      const before = values() + scenario.state.treasury;
      const paidBefore = scenario.state.deposited;
      const { events } = scenario.block(command);
      for (const { type } of events) reached.note(type);
      const paidIn = scenario.state.deposited - paidBefore;
      // The marks cancel out in this sum, because longs and shorts are equal.
      expect(values() + scenario.state.treasury).toBe(before + paidIn);
    };
    fc.assert(
      fc.property(history, (steps) => play(steps, conserved)),
      { numRuns: RUNS },
    );
    reached.demand(RUNS, 'tradeExecuted');
  });
});

test('reading the books changes nothing and returns the queue position of every order', () => {
  const reached = new Reached();
  for (let seed = 1; seed <= RUNS / 3; seed++) {
    const scenario = Scenario.open({ accounts: [] });
    openVenue(scenario);
    const pick = randomIntegers(seed);
    for (let i = 0; i < 120; i++) {
      if (pick(6) === 0) scenario.wait(pick(3_000));
      const commands = [1, 2, 3].map(() => toCommand(scenario, randomStep(pick)));
      scenario.block(...commands);
    }
    const [plain, observed] = [createState(), createState()];
    const resting = new Map<number, number>();
    const arrived = new Map<number, readonly number[] | undefined>();
    let first = 0;
    const observer: BookObserver = {
      begins: (nextOrderId) => void (first = nextOrderId),
      enters: ({ bestAsk, bestBid, orderId }) => {
        arrived.set(orderId, [bestAsk, bestBid]);
        expect(orderId).toBeGreaterThanOrEqual(first);
      },
      meets: (orderId, price, size) => {
        const best = arrived.get(orderId);
        if (best !== undefined) expect(best).toContain(price);
        arrived.set(orderId, undefined);
        expect(size).toBeGreaterThan(0);
        reached.note(best === undefined ? 'further met' : 'best met');
      },
      rests: (orderId, price, ahead) => {
        expect(arrived.has(orderId)).toBe(true);
        expect(ahead).toBe(aheadIn(observed, orderId));
        resting.set(orderId, price);
        reached.note(ahead === 0 ? 'first' : 'behind others');
      },
      leaves: (orderId, ahead) => {
        expect(resting.delete(orderId)).toBe(true);
        expect(ahead).toBe(aheadIn(observed, orderId));
        reached.note(ahead === 0 ? 'left from the front' : 'left from behind');
      },
    };
    for (const [at, { commands, timeMs: ms }] of scenario.blocks.entries()) {
      const block = { height: at + 1, timeMs: timeMs(ms), commands };
      expect(applyBlock(observed, block, observer)).toEqual(applyBlock(plain, block));
    }
    expect(dump(observed)).toEqual(dump(plain));
    expect(dump(observed)).toEqual(dump(scenario.state));
    for (const [orderId, price] of resting) {
      expect(findOrder(observed, orderId)?.price, String(orderId)).toBe(price);
    }
    expect(resting.size).toBe(observed.accounts.reduce((sum, one) => sum + one.liveOrders, 0));
  }
  const stories = ['best met', 'further met', 'first', 'behind others'] as const;
  reached.demand(1, ...stories, 'left from the front');
});

/** Counts the lots ahead of an order by walking its side from the front. */
function aheadIn(state: State, orderId: number): number {
  const { pool } = state;
  const slot = pool.find(orderId);
  const book = state.perps.get(pool.instrument[slot]!)!.book;
  const isBuy = (pool.flags[slot]! & SIDE_BUY) !== 0;
  let ahead = 0;
  let isBefore = true;
  book.forEachSlot(isBuy, (each) => {
    if (each === slot) isBefore = false;
    if (isBefore && pool.price[each] === pool.price[slot]) ahead += pool.remaining[each]!;
  });
  return ahead;
}

test('the random histories reach the important rejects and order states', () => {
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (let seed = 1; seed <= 25; seed++) {
    const scenario = Scenario.open({ accounts: [] });
    openVenue(scenario);
    const pick = randomIntegers(seed);
    for (let i = 0; i < 250; i++) {
      if (pick(6) === 0) scenario.wait(pick(3_000));
      for (const event of scenario.block(toCommand(scenario, randomStep(pick))).events) {
        if (event.type === 'tradeExecuted') count('trade');
        if (event.type !== 'orderUpdated') continue;
        count(event.cancelCause ?? event.reject?.reason ?? event.status);
      }
    }
  }
  const expectedKinds = [
    'trade',
    'open',
    'filled',
    'expired',
    'iocRemainder',
    'selfTrade',
    'reduceOnly',
  ];
  const refused = ['marginInsufficient', 'reduceOnlyIncreases', 'postOnlyWouldTrade'];
  const rare = ['marginCanceled', 'clientOrderIdDuplicate', 'valueBelowMin'];
  for (const what of [...expectedKinds, ...refused, ...rare]) {
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(3);
  }
});
