import {
  accountView,
  applyBlock,
  type Command,
  createState,
  type EngineEvent,
  type State,
} from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectSame } from '../support/expect-same.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { ReferenceLedger } from './reference-ledger.ts';
import { isAtRisk } from './reference-margin.ts';
import { healthOf, withdrawable } from './reference-sight.ts';
import { Workload } from './workload.ts';

/**
 * Goal: money, margin and liquidation of cross, isolated and hedge accounts follow the rulebook.
 * Method: the engine runs random histories of all trader and operator actions, and a separate
 * ledger follows the events and predicts all balances, positions, margins and reserves. The two are
 * compared after every block, including each margin account's equity, requirements, withdrawable
 * amount and liquidation state.
 */

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 15);
const SEED = freshSeed('FC_SEED');
const IS_LONG = process.env['TEST_LONG'] !== undefined;
const TIMEOUT_MS = 60_000 + 1_000 * RUNS;

class Pair {
  readonly state: State = createState();
  readonly ledger = new ReferenceLedger();
  readonly workload: Workload;
  readonly seen = new Map<string, number>();

  constructor(seed: number) {
    this.workload = new Workload({
      seed,
      traders: 8,
      agents: false,
      ordersMax: 3,
      skill: 'margin',
    });
    for (const commands of this.workload.opening()) this.#apply(commands);
  }

  step(): void {
    this.workload.tick();
    const count = 1 + (this.state.height % 4);
    this.#apply(Array.from({ length: count }, () => this.workload.next(this.state)));
  }

  /** Delists a market and runs its closing hour in blocks of 5 s. */
  delist(command: Command): void {
    this.workload.tick();
    this.#apply([command]);
    for (let step = 0; step < 720; step++) {
      this.#apply([this.workload.steady(), this.workload.next(this.state)]);
    }
  }

  #apply(commands: readonly Command[]): void {
    const { state, workload } = this;
    workload.nowMs += 1;
    const at = workload.nowMs;
    const result = applyBlock(state, { height: state.height + 1, timeMs: timeMs(at), commands });
    workload.observe(result);
    for (const event of result.events) this.#count(event);
    this.ledger.follow(at, commands, result.events);
    const deleveraged = new Set<string>();
    for (const event of result.events) {
      if (event.type === 'deleveraged') deleveraged.add(event.account);
    }
    this.#compare(deleveraged);
  }

  #count(event: EngineEvent): void {
    const add = (what: string): void => {
      this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
    };
    add(event.type);
    if (event.type === 'liquidationStep') {
      const isPair = event.step === 'cancel' && event.price !== undefined;
      add(isPair ? 'pair' : `${event.marginMode} ${event.step}`);
    }
  }

  #compare(deleveraged: ReadonlySet<string>): void {
    const { ledger, state } = this;
    expectSame<bigint>(state.treasury, ledger.books.treasury, 'the treasury');
    expectSame(ledger.books.total(), ledger.books.deposited, 'R-conservation in the model');
    for (const account of state.accounts) {
      const { address } = account;
      const own = ledger.books.accounts.get(address)!;
      const held = [...account.holdings.values()]
        .filter(({ reserved, size }) => size !== 0 || reserved !== 0n)
        .map(
          ({ cost, isolatedMargin, leg, perp, reserved, size }) =>
            `${perp.definition.instrumentId}:${leg} ${size} for ${cost} on ${isolatedMargin} and ${reserved}`,
        );
      const expected = [...own.positions]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, position]) => ({
          key,
          position,
          reserved: ledger.books.reserved(own, position),
        }))
        .filter(({ position, reserved }) => position.size !== 0n || reserved !== 0n)
        .map(
          ({ key, position, reserved }) =>
            `${key} ${position.size} for ${position.cost} on ${position.margin} and ${reserved}`,
        );
      expectSame<readonly unknown[]>(
        [address, account.perpBalance, ...held],
        [address, own.balance, ...expected],
      );
      this.#compareMargin(address, deleveraged.has(address));
    }
  }

  #compareMargin(
    address: (typeof this.state.accounts)[number]['address'],
    isSpared: boolean,
  ): void {
    const { ledger, state } = this;
    const view = accountView(state, address)!;
    const account = state.accounts[state.accountIndex.get(address)!]!;
    const own = ledger.books.accounts.get(address)!;
    const cross = ledger.books.cross(own);
    expectSame<object>(
      {
        value: view.cross.accountValue,
        notional: view.cross.notional,
        initial: view.initialMargin,
        risk: view.maintenanceMargin + view.liquidationFee,
        withdrawable: view.withdrawable,
      },
      {
        value: cross.equity,
        notional: cross.notional,
        initial: cross.initial,
        risk: cross.risk,
        withdrawable: withdrawable(ledger.books, own),
      },
    );
    if (own === ledger.books.fund || isSpared) return;
    // An account that has recovered stays under liquidation until its next turn, at most one second
    // later.
    const isIn = state.liquidations.has({ account, holding: undefined });
    const health = healthOf(ledger.books, own, undefined);
    expectSame(isIn || !isAtRisk(health), true, `${address} is at risk and not under liquidation`);
    for (const { leg, position } of ledger.books.legs(own)) {
      if (!leg.isIsolated || leg.size === 0n) continue;
      const scope = healthOf(ledger.books, own, position);
      const holding = [...account.holdings.values()].find(
        (each) =>
          each.perp.definition.instrumentId === position.market.id && each.leg === position.leg,
      );
      if (holding === undefined) throw new Error(`no isolated position of ${address}`);
      const isWorked = state.liquidations.has({ account, holding });
      expectSame(isWorked || !isAtRisk(scope), true, `an isolated position of ${address}`);
    }
  }
}

test(
  'the reference ledger predicts all money and margin after every block',
  () => {
    const history = fc.tuple(fc.integer(), fc.integer({ min: 1, max: 250 }));
    fc.assert(
      fc.property(history, ([seed, length]) => {
        const pair = new Pair(seed);
        for (let i = 0; i < length; i++) pair.step();
      }),
      {
        numRuns: RUNS,
        seed: SEED,
        examples: [
          // There are two hedge pairs, and closing the first is enough.
          [[-249_557_702, 201]],
          // A trigger order triggers and rests. An amend makes it trade and rest again.
          [[-12, 102]],
        ],
      },
    );
  },
  TIMEOUT_MS,
);

/** These two seeds reach all states quickly; `npm run test:long` uses more and longer runs. */
const [SEEDS, STEPS] = IS_LONG ? [[1, 2, 3, 4, 9, 16, 22, 40], 1_500] : [[4, 22], 500];

test('the random histories reach every kind of margin, step and event', () => {
  const seen = new Map<string, number>();
  for (const seed of SEEDS) {
    const pair = new Pair(seed);
    for (let i = 0; i < STEPS; i++) pair.step();
    const { instrumentId } = pair.state.perps.get(1 + (seed % 3))!.definition;
    pair.delist({ type: 'setPerp', instrumentId, delisted: true, changes: {} });
    for (let i = 0; i < 50; i++) pair.step();
    for (const [what, count] of pair.seen) seen.set(what, (seen.get(what) ?? 0) + count);
    seen.set('funding of the fund', (seen.get('funding of the fund') ?? 0) + pair.ledger.fundHours);
  }
  for (const what of [
    'tradeExecuted',
    'settingsChanged',
    'fundingPaid',
    'funding of the fund',
    'deleveraged',
    'perpSettled',
    'positionSettled',
    'perpChanged',
    'feeTiersChanged',
    'reverseJobChanged',
    'cross cancel',
    'cross market',
    'cross insurance',
    'cross adl',
    'isolated cancel',
    'isolated market',
    'isolated net',
    'isolated insurance',
    'isolated adl',
    'pair',
  ]) {
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(0);
  }
});
