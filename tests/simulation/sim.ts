import {
  applyBlock,
  type BlockResult,
  checkInvariants,
  type Command,
  createState,
  dump,
  type LiquidationStep,
  restore,
  type State,
  type StateDump,
} from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
import { parseArgs } from 'node:util';
import {
  checkConservation,
  checkDeficit,
  checkFlips,
  checkLiabilities,
  checkRisk,
  demand,
  sizesOf,
} from './sim-checks.ts';
import { PERPS, Workload } from './workload.ts';

/**
 * Runs the engine with random traders: `node tests/simulation/sim.ts --seed 7 --commands 200000`.
 * Blocks have several commands, prices walk, jump and become stale, traders use all kinds of
 * margin, and the insurance fund is small. After every block, money must be conserved to the
 * micro-USDC, longs must equal shorts, and deleveraging must not have flipped any position. From
 * time to time, the accounts at risk are recomputed and all invariants are checked. The state is
 * repeatedly replaced by its restored dump. At the end, the recorded log is parsed from its text
 * and replayed from the start, and must give the same digest and dump. The host's clock and random
 * source throw while the engine is running.
 */

export type SimulationReport = {
  readonly commands: number;
  readonly blocks: number;
  readonly trades: number;
  readonly restores: number;
  /** How often each rejection, cancel reason, event type and liquidation step occurred. */
  readonly endings: Readonly<Record<string, number>>;
  readonly digest: string;
};

/**
 * The number of blocks between two checks of all invariants (`CHECK_EVERY`), and between two checks
 * of all accounts' risk (`RISK_EVERY`).
 */
const CHECK_EVERY = 250;
const RISK_EVERY = 5;
/** How often the state is replaced by its restored dump. */
const RESTORES = 4;
/** R-delist: the closing hour in blocks of 5 s. */
const CLOSING_STEPS = 720;

export function simulate(options: { seed: number; commands: number }): SimulationReport {
  const run = new Simulation(options.seed);
  try {
    return run.run(options.commands);
  } catch (error) {
    const again = `node tests/simulation/sim.ts --seed ${options.seed} --commands ${options.commands}`;
    throw new Error(`simulation failed at block ${run.height}; replay: ${again}`, { cause: error });
  }
}

class Simulation {
  #state: State = createState();
  readonly #workload: Workload;
  readonly #log: string[] = [];
  readonly #endings = new Map<string, number>();
  #commands = 0;
  #trades = 0;
  #restores = 0;

  constructor(seed: number) {
    this.#workload = new Workload({ seed, traders: 24, agents: true, ordersMax: 3, skill: 'all' });
  }

  get height(): number {
    return this.#state.height;
  }

  run(commands: number): SimulationReport {
    for (const opening of this.#workload.opening()) this.#block(opening);
    for (let restores = 1; this.#commands < commands;) {
      this.#workload.tick();
      const size = 1 + (this.#state.height % 23);
      const block = Array.from({ length: size }, () => this.#workload.next(this.#state));
      this.#block(block);
      if (this.#state.height % CHECK_EVERY === 0) checkInvariants(this.#state);
      if (restores <= RESTORES && this.#commands * (RESTORES + 1) > restores * commands) {
        if (restores === RESTORES) this.#delist();
        restores += 1;
        this.#restart();
      }
    }
    checkInvariants(this.#state);
    this.#replay();
    return {
      commands: this.#commands,
      blocks: this.#state.height,
      trades: this.#trades,
      restores: this.#restores,
      endings: Object.fromEntries([...this.#endings].sort(([a], [b]) => (a < b ? -1 : 1))),
      digest: this.#state.digest.hex(),
    };
  }

  #block(commands: readonly Command[]): void {
    const block = { timeMs: this.#workload.nowMs, commands };
    this.#log.push(JSON.stringify(block));
    const before = sizesOf(this.#state);
    const result = apply(this.#state, block);
    this.#commands += commands.length;
    this.#workload.observe(result);
    this.#count(result);
    checkConservation(this.#state);
    checkDeficit(this.#state);
    checkLiabilities(this.#state);
    this.#add('judged: deleveraged', checkFlips(this.#state, before, result.events));
    if (this.#state.height % RISK_EVERY === 0) {
      this.#add('judged: at risk', checkRisk(this.#state, result.events));
    }
  }

  #add(what: string, times: number): void {
    if (times > 0) this.#endings.set(what, (this.#endings.get(what) ?? 0) + times);
  }

  #count({ events, outcomes }: BlockResult): void {
    const count = (what: string): void => this.#add(what, 1);
    for (const { entries, reject } of outcomes) {
      if (reject !== undefined) count(reject.reason);
      for (const entry of entries ?? []) if (entry.reject !== undefined) count(entry.reject.reason);
    }
    for (const event of events) {
      count(event.type);
      if (event.type === 'tradeExecuted') this.#trades += 1;
      if (event.type === 'liquidationStep') count(stepOf(event));
      if (event.type === 'reverseJobChanged') count(`reverse ${event.phase}`);
      if (event.type !== 'orderUpdated') continue;
      const why = event.cancelCause ?? (event.commandIndex < 0 ? event.reject?.reason : undefined);
      if (why !== undefined) count(why);
    }
  }

  /** Delists the last perp near the end. The other perps keep trading during its closing hour. */
  #delist(): void {
    const instrumentId = PERPS.at(-1)?.instrumentId;
    if (instrumentId === undefined) return;
    this.#workload.tick();
    this.#block([{ type: 'setPerp', instrumentId, delisted: true, changes: {} }]);
    for (let step = 0; step < CLOSING_STEPS; step++) {
      const prices = this.#workload.steady();
      this.#workload.nowMs += 1;
      this.#block([prices, this.#workload.next(this.#state), this.#workload.next(this.#state)]);
      if (step === CLOSING_STEPS / 2) this.#restart();
    }
    demand(this.#state.perps.get(instrumentId)?.delisted === true, 'the perp is settled');
  }

  /** Simulates a crash and a restart from a snapshot. */
  #restart(): void {
    const text = JSON.stringify(dump(this.#state));
    this.#state = restore(JSON.parse(text) as StateDump);
    checkInvariants(this.#state);
    demand(JSON.stringify(dump(this.#state)) === text, 'a restored state dumps the same');
    this.#restores += 1;
  }

  #replay(): void {
    const replayed = createState();
    for (const line of this.#log) apply(replayed, JSON.parse(line) as LoggedBlock);
    demand(replayed.digest.hex() === this.#state.digest.hex(), 'the replay has the same digest');
    const isSame = JSON.stringify(dump(replayed)) === JSON.stringify(dump(this.#state));
    demand(isSame, 'the replay has the same state');
  }
}

function stepOf({ marginMode, price, step }: LiquidationStep): string {
  return step === 'cancel' && price !== undefined ? 'cross pair' : `${marginMode} ${step}`;
}

type LoggedBlock = { readonly timeMs: number; readonly commands: readonly Command[] };

/** Applies a block while the host's clock and random source throw. */
function apply(state: State, block: LoggedBlock): BlockResult {
  const { now } = Date;
  const { random } = Math;
  Date.now = outOfReach;
  Math.random = outOfReach;
  try {
    const { commands } = block;
    return applyBlock(state, { height: state.height + 1, timeMs: timeMs(block.timeMs), commands });
  } finally {
    Date.now = now;
    Math.random = random;
  }
}

function outOfReach(): never {
  throw new Error('the engine reached for the host: R-determinism');
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, commands: { type: 'string' } },
  });
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
  const commands = Number(values.commands ?? 200_000);
  console.log(`seed ${seed}, ${commands} commands`);
  const startedMs = performance.now();
  const report = simulate({ seed, commands });
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(JSON.stringify(report, undefined, 2));
  console.log(`${seconds} s, replay included`);
}
