import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCommand, changeConditions, openEverything } from '../support/engine/any-command.ts';
import { openForSteps, outcomeSteps, takeStep } from '../support/engine/outcome-steps.ts';
import { decide, setPhase } from '../support/engine/outcomes.ts';
import { randomIntegers } from '../support/engine/steps.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { RowBooks } from './row-checks.ts';
import { type LoggedBlock, RowRig } from './row-rig.ts';
import { PERPS, Workload } from './workload.ts';

/**
 * Goal: the rows of a history add up to the state, and a restart in the middle changes no row.
 * Method: random histories from the engine's generators pass through the real projector with real
 * receipts and markets, and the test computes the accounts from the rows.
 */

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 12);
const SEED = freshSeed('FC_SEED');
/**
 * The seed of a trading history. `npm run test:long` adds seeds with no insurance fund, with a
 * small one and with a large one.
 */
const TRADED = [SEED, ...(process.env['TEST_LONG'] === undefined ? [] : [1, 2, 4])];
const TIMEOUT_MS = 30_000 + 1_000 * RUNS;

/** Applies the blocks twice, the second time with a restart after every `every` blocks. */
function playTwice(blocks: readonly LoggedBlock[], every: number): RowRig {
  const [through, restarted] = [new RowRig(), new RowRig()];
  for (const [at, block] of blocks.entries()) {
    through.play(block);
    restarted.play(block);
    if (at % every === every - 1) restarted.restart();
  }
  expect(JSON.stringify(restarted.rows)).toBe(JSON.stringify(through.rows));
  return through;
}

const DAY_MS = 86_400_000;

/**
 * Checks the rows one day later, when every candle is complete and every account that changed has
 * been valued.
 */
function checkRows(rig: RowRig): Record<string, number> {
  rig.play({ timeMs: rig.state.timeMs + DAY_MS, commands: [] });
  return new RowBooks(rig.rows).check(rig.state, (user) => rig.projector.accountSums(user));
}

function checkRemembered({ projector, state }: RowRig): void {
  for (const orderId of projector.rememberedOrders()) {
    const isLive = state.pool.find(orderId) >= 0 || state.triggers.find(orderId) !== undefined;
    expect(isLive, `order ${orderId} is remembered and lives`).toBe(true);
  }
}

class Counts {
  readonly #counts = new Map<string, number>();

  add(found: Readonly<Record<string, number>>): void {
    for (const [what, count] of Object.entries(found)) {
      this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
    }
  }

  demand(...whats: readonly string[]): void {
    for (const what of whats) expect(this.#counts.get(what) ?? 0, what).toBeGreaterThan(0);
  }
}

test(
  'R-conservation: the rows of random histories of perps, builders and money add up',
  () => {
    const counts = new Counts();
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 30 }), (seed, every) => {
        const pick = randomIntegers(seed);
        const scenario = openEverything(300_000_000);
        for (let step = 0; step < 60; step++) {
          changeConditions(scenario, pick);
          scenario.block(anyCommand(scenario, pick).command);
        }
        const rig = playTwice(scenario.blocks, every);
        counts.add(checkRows(rig));
        checkRemembered(rig);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    counts.demand('fills', 'closing', 'orders', 'earnings', 'ledger', 'triggered', 'with children');
  },
  TIMEOUT_MS,
);

test(
  'R-conservation: the rows of random histories of an outcome market add up, including its settlement',
  () => {
    const counts = new Counts();
    fc.assert(
      fc.property(
        outcomeSteps,
        fc.constantFrom(0, 250),
        fc.integer({ min: 0, max: 100 }),
        (steps, delayMs, percent) => {
          const venue = openForSteps(delayMs);
          for (const step of steps) takeStep(venue, step);
          const rig = playTwice(venue.blocks, 7);
          counts.add(checkRows(rig));
          setPhase(venue, 'closed');
          decide(venue, percent * 100);
          venue.block();
          const settled = playTwice(venue.blocks, 11);
          counts.add(checkRows(settled));
          const events = settled.rows.flatMap(({ settledEvents }) => settledEvents);
          expect(events.map(({ slug }) => slug)).toEqual(['event']);
          checkRemembered(settled);
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    counts.demand('fills', 'closing', 'without an order', 'orders', 'ledger');
  },
  TIMEOUT_MS,
);

test.each(TRADED)(
  'R-liquidation, R-delist: the rows of seed %i add up across takeovers, deleveraging and a settlement',
  (seed) => {
    const options = { seed, traders: 12, agents: true, ordersMax: 3, skill: 'all' } as const;
    const workload = new Workload(options);
    const rig = new RowRig();
    const block = (commands: LoggedBlock['commands']): void => {
      workload.observe(rig.play({ timeMs: workload.nowMs, commands }).result);
    };
    for (const commands of workload.opening()) block(commands);
    for (let at = 0; at < 700; at++) {
      workload.tick();
      block(Array.from({ length: 1 + (at % 9) }, () => workload.next(rig.state)));
      if (at % 97 === 0) rig.restart();
    }
    workload.tick();
    const instrumentId = PERPS[0]!.instrumentId;
    block([{ type: 'setPerp', instrumentId, delisted: true, changes: {} }]);
    for (let step = 0; step < 721; step++) block([workload.steady()]);
    expect(rig.state.perps.get(instrumentId)?.delisted).toBe(true);
    const counts = new Counts();
    counts.add(checkRows(rig));
    counts.demand('fills', 'closing', 'without an order', 'orders', 'ledger', 'triggered');
    checkRemembered(rig);
  },
);
