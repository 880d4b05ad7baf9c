import { type Address, instrumentId } from '@oddlot/units';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import { healthOf, isLiquidatable } from '../liquidation/scope.ts';
import type { BlockResult } from '../messages/block.ts';
import type { Command, SubAccount } from '../messages/command.ts';
import { accountValue } from '../perp/margin.ts';
import type { Account } from '../state/account.ts';
import { actor, PARAMETERS, Scenario } from '@oddlot/testing/engine/scenario';
import { openVenue, type Step, toCommand, traderAt, TRADERS } from '@oddlot/testing/engine/steps';
import { checkRestarts, sign } from '@oddlot/testing/engine/waiting';
import { freeMoney } from './free-money.ts';

/**
 * The number of random histories. In each, only free money may move, and no money may appear or
 * disappear. The histories consist of deposits, trades, prices, transfers, withdrawals, settlements
 * and treasury payments by poorly and well funded traders. A separate ledger computes, from the
 * events alone, the money that entered and left and the expected outcome balances and holds. The
 * scenario checks all invariants after every block.
 */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 15);
const FUND = PARAMETERS.insuranceFundAddress;
/** These two addresses have no account until they receive money. */
const NEWCOMERS: readonly Address[] = [actor(0x9e1), actor(0x9e2)];
const RECEIVERS: readonly Address[] = [...TRADERS, ...NEWCOMERS, FUND];
const SENDERS: readonly Address[] = [...TRADERS, ...NEWCOMERS];

/** A percentage of the free money, plus a number of micro-USDC. */
type Amount = { readonly percent: number; readonly more: number };
type MoneyStep =
  | Step
  | {
      readonly kind: 'send';
      readonly who: number;
      readonly to: number;
      readonly amount: Amount;
      readonly fromSub: SubAccount;
      readonly toSub: SubAccount;
    }
  | { readonly kind: 'withdraw'; readonly who: number; readonly amount: Amount }
  | { readonly kind: 'settle'; readonly nth: number; readonly paid: boolean }
  | { readonly kind: 'treasury'; readonly to: number; readonly percent: number }
  | { readonly kind: 'outcome'; readonly who: number; readonly amount: number }
  | { readonly kind: 'isolate'; readonly who: number; readonly perp: number };

const who = fc.constantFrom(0, 0, 1, 1, 2, 2, 3, 3, 4, 5);
const subAccount = fc.constantFrom<SubAccount>('perp', 'perp', 'outcome');
const amount: fc.Arbitrary<Amount> = fc.record({
  percent: fc.oneof(
    { weight: 1, arbitrary: fc.constant(100) },
    { weight: 4, arbitrary: fc.nat(30) },
  ),
  more: fc.constantFrom(0, 0, 0, 1, -1, 3_000_000),
});
const place: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('place'),
  who: fc.nat(3),
  byAgent: fc.constant(false),
  perp: fc.nat(1),
  isBuy: fc.boolean(),
  ticks: fc.integer({ min: -20, max: 20 }),
  size: fc.constant(0),
  share: fc.integer({ min: 5, max: 60 }),
  timeInForce: fc.constantFrom('gtc', 'alo', 'ioc'),
  reduceOnly: fc.constantFrom(false, false, false, true),
  client: fc.constant(0),
});
const step: fc.Arbitrary<MoneyStep> = fc.oneof(
  { weight: 12, arbitrary: place },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('send'),
      who,
      to: fc.nat(RECEIVERS.length - 1),
      amount,
      fromSub: subAccount,
      toSub: subAccount,
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('withdraw'), who, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('settle'), nth: fc.nat(6), paid: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('oracle'),
      perp: fc.nat(1),
      permille: fc.integer({ min: -80, max: 80 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('treasury'),
      to: fc.nat(RECEIVERS.length - 1),
      percent: fc.nat(110),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('outcome'),
      who: fc.nat(3),
      amount: fc.integer({ min: 1, max: 30_000_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('isolate'), who: fc.nat(3), perp: fc.nat(1) }),
  },
);
const waitMs = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.constant(1_000) },
  { weight: 1, arbitrary: fc.constant(31_000) },
);
type Timed = { readonly waitMs: number; readonly next: MoneyStep };
const history: fc.Arbitrary<Timed[]> = fc.array(fc.record({ waitMs, next: step }), {
  minLength: 10,
  maxLength: 70,
  size: 'max',
});

function free(scenario: Scenario, address: Address, from: SubAccount): bigint {
  if (!scenario.state.accountIndex.has(address)) return 0n;
  return freeMoney(scenario.state, scenario.account(address), from);
}

function part(whole: bigint, { more, percent }: Amount): number {
  return Math.floor((Number(whole) * percent) / 100) + more;
}

function at<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item;
}

function commandOf(scenario: Scenario, next: MoneyStep): Command {
  switch (next.kind) {
    case 'send': {
      const sender = at(SENDERS, next.who);
      const { fromSub: from, toSub: to } = next;
      const amountMicroUsdc = part(free(scenario, sender, from), next.amount);
      const ends = { destination: at(RECEIVERS, next.to), from, to };
      return sign(scenario, sender, { type: 'sendToken', token: 0, amountMicroUsdc, ...ends });
    }
    case 'withdraw': {
      const destination = at(SENDERS, next.who);
      const amountMicroUsdc = part(free(scenario, destination, 'perp'), next.amount);
      return sign(scenario, destination, { type: 'withdraw', destination, amountMicroUsdc });
    }
    case 'settle': {
      const waiting = [...scenario.state.withdrawals.keys(), 0];
      return { type: 'settleWithdrawal', withdrawalId: at(waiting, next.nth), paid: next.paid };
    }
    case 'treasury': {
      const share = { percent: next.percent, more: 0 };
      const amountMicroUsdc = part(scenario.state.treasury, share);
      return { type: 'treasurySend', destination: at(RECEIVERS, next.to), amountMicroUsdc };
    }
    case 'outcome': {
      const credit = { account: traderAt(next.who), amountMicroUsdc: next.amount };
      return { type: 'creditFaucet', subAccount: 'outcome', ...credit };
    }
    case 'isolate': {
      const mode = { instrumentId: instrumentId(next.perp + 1), marginMode: 'isolated' } as const;
      return sign(scenario, traderAt(next.who), { type: 'updateMarginMode', ...mode });
    }
    default:
      return toCommand(scenario, next);
  }
}

/** The expected money of the venue, its outcome balances and its holds, according to the events. */
class Ledger {
  inside = 0n;
  readonly #outcome = new Map<string, bigint>();
  readonly #hold = new Map<string, bigint>();

  read({ events }: BlockResult): void {
    for (const event of events) {
      if (event.type === 'faucetCredited') {
        this.inside += event.amount;
        if (event.subAccount === 'outcome') add(this.#outcome, event.account, event.amount);
      } else if (event.type === 'tokenSent') {
        const { account, amount: sent, destination, fee, from, to } = event;
        if (from === 'outcome') add(this.#outcome, account, -sent - fee);
        if (to === 'outcome') add(this.#outcome, destination, sent);
      } else if (event.type === 'withdrawalChanged') {
        const { account, amount: held, fee, status } = event;
        add(this.#hold, account, status === 'pending' ? held : -held);
        if (status === 'completed') this.inside -= held - fee;
      }
    }
  }

  check({ state }: Scenario): void {
    let sum: bigint = state.treasury;
    for (const { address, holdings, outcomeBalance, perpBalance, withdrawHold } of state.accounts) {
      expect(outcomeBalance).toBe(this.#outcome.get(address) ?? 0n);
      expect(withdrawHold).toBe(this.#hold.get(address) ?? 0n);
      sum += perpBalance + outcomeBalance + withdrawHold;
      // Marks cancel out because total longs equal total shorts.
      for (const { cost, isolatedMargin, perp, reserved, size } of holdings.values()) {
        sum += isolatedMargin + reserved + BigInt(size) * BigInt(perp.mark) - cost;
      }
    }
    expect(sum).toBe(this.inside);
  }
}

function add(map: Map<string, bigint>, key: string, by: bigint): void {
  map.set(key, (map.get(key) ?? 0n) + by);
}

function newScenario(ledger: Ledger): Scenario {
  const scenario = Scenario.open({ accounts: [] });
  openVenue(scenario);
  for (const { commands } of scenario.blocks) {
    for (const command of commands) {
      if (command.type === 'creditFaucet') ledger.inside += BigInt(command.amountMicroUsdc);
    }
  }
  return scenario;
}

/**
 * The result of a step as a string, for example "send balanceInsufficient staleOracle
 * notionalShare".
 */
type Ending = string;

function visit(scenario: Scenario, next: MoneyStep, ledger: Ledger): Ending {
  const command = commandOf(scenario, next);
  const admitted = checkCommand(scenario.state, command, scenario.nowMs);
  const result = scenario.block(command);
  ledger.read(result);
  const outcome = result.outcomes[0] ?? {};
  const reason = outcome.reject?.reason ?? 'done';
  if (command.type === 'treasurySend') expect(outcome).toEqual(admitted);
  if (command.type !== 'sendToken' && command.type !== 'withdraw') return `${next.kind} ${reason}`;
  expect(outcome).toEqual(admitted);
  if (outcome.account === undefined) return `${next.kind} ${reason}`;
  const account = scenario.account(outcome.account);
  const from = command.type === 'sendToken' ? command.from : 'perp';
  if (outcome.reject === undefined && from === 'perp') checkSafe(scenario, account);
  if (outcome.reject?.reason !== 'balanceInsufficient') return `${next.kind} ${reason}`;
  const { available, required, reservedBy = [] } = outcome.reject;
  expect(required > available && available >= 0n).toBe(true);
  const balance = from === 'perp' ? account.perpBalance : account.outcomeBalance;
  const reserved = reservedBy.reduce((sum, each) => sum + each.amount, 0n);
  expect(available + reserved, 'free and named make the balance').toBe(balance > 0n ? balance : 0n);
  return [next.kind, reason, ...reservedBy.map(({ what }) => what)].join(' ');
}

/**
 * Checks that an account that has sent or withdrawn money keeps enough margin and is not
 * liquidated.
 */
function checkSafe({ state }: Scenario, account: Account): void {
  expect(account.perpBalance >= 0n, 'no balance below zero').toBe(true);
  expect(accountValue(state, account) >= account.margin.initial, 'covered').toBe(true);
  const health = healthOf(state, { account, holding: undefined });
  expect(isLiquidatable(health), 'liquidated').toBe(false);
}

/** Executes a history in which time advances before each step. */
function play(steps: readonly Timed[]): { scenario: Scenario; endings: readonly Ending[] } {
  const ledger = new Ledger();
  const scenario = newScenario(ledger);
  const endings = steps.map(({ next, waitMs }) => {
    scenario.wait(waitMs);
    ledger.read(scenario.block());
    const ending = visit(scenario, next, ledger);
    ledger.check(scenario);
    return ending;
  });
  return { scenario, endings };
}

test('R-conservation, R-transfer: for any history, only free money moves, and money is conserved', () => {
  fc.assert(
    fc.property(history, (steps) => void play(steps)),
    { numRuns: RUNS },
  );
});

test('the random money histories cover the important results, and restarts do not change any of them', () => {
  const seen = new Map<string, number>();
  for (const [at, steps] of fc.sample(history, { numRuns: 60, seed: 7 }).entries()) {
    const { endings, scenario } = play(steps);
    for (const ending of endings) {
      for (const word of ending.split(' ').slice(1)) {
        const key = `${ending.split(' ')[0]} ${word}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
      }
    }
    if (at < 4) checkRestarts(scenario);
  }
  const expectedKinds = ['done', 'transferBelowMin', 'sameSubAccount', 'balanceInsufficient'];
  const reservations = ['initialMargin', 'notionalShare', 'unrealisedLoss', 'staleOracle'];
  for (const word of [...expectedKinds, ...reservations]) {
    expect(seen.get(`send ${word}`) ?? 0, word).toBeGreaterThan(3);
  }
  for (const what of ['withdraw done', 'settle done', 'treasury done']) {
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(3);
  }
});
