import { timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { signedRules, checkCommand } from '../commands/commands.ts';
import { dump, restore, type StateDump } from '../dump/dump.ts';
import { checkInvariants } from '../check-invariants.ts';
import type { CommandResult } from '../messages/block.ts';
import type { EngineEvent } from '../messages/event.ts';
import { insuranceTarget } from '../perp/insurance-fund.ts';
import {
  accountView,
  openOrders,
  reverseJobs,
  scheduledCancel,
  triggerOrders,
} from '../read/read.ts';
import { createState, type State } from '../state/state.ts';
import {
  type Acted,
  anyCommand,
  changeConditions,
  openEverything,
  settle,
} from '@oddlot/testing/engine/any-command';
import type { Scenario } from '@oddlot/testing/engine/scenario';
import { randomIntegers } from '@oddlot/testing/engine/steps';
import { simulateCommand, type Simulation } from './simulate-command.ts';

/**
 * The number of random histories, which include commands of every type. Each command is simulated
 * while nothing is due and then executed in its own block at the same time. Rejections must match
 * those at admission; other results must match the block's. Finally, the history is replayed
 * without simulations and must give the same result.
 */
const SEEDS = Number(process.env['FUZZ_RUNS'] ?? 100) / 100;
const STEPS = 400;
const RICH = 5_000_000_000;
const POOR = 15_000_000;

const text = (state: State): string => JSON.stringify(dump(state));

/** Returns the state except for the parts that only a block or a signature changes. */
function comparableState(state: State): object {
  const { height: _h, digest: _d, signers: _s, bridge, ...rest } = dump(state);
  return { ...rest, bridge: { ...bridge, unusedAgents: undefined } };
}

/**
 * Returns the data that the owner of each account can read, except the ranks among other accounts,
 * which are cached.
 */
function views(state: State): object[] {
  return state.accounts.map(({ address }) => ({
    account: accountView(state, address, () => 0),
    open: openOrders(state, address),
    waiting: triggerOrders(state, address),
    jobs: reverseJobs(state, address),
    schedule: scheduledCancel(state, address),
  }));
}

/** The result of a simulation, read before the next block invalidates the fork. */
type Predicted = Pick<Simulation, 'outcome' | 'events'> & {
  readonly comparableState: object;
  readonly views: object[];
};

function predict({ state }: Scenario, { command, user }: Acted): Predicted {
  const before = text(state);
  const { after, events, outcome } = simulateCommand(state, user, command);
  const predicted = {
    outcome,
    events,
    comparableState: comparableState(after),
    views: views(after),
  };
  checkInvariants(after);
  // The invariants are checked after the next block.
  expect(text(state)).toBe(before);
  return predicted;
}

/** Executes the command on a restored copy without a block around it, and compares the digests. */
function expectSameDigest({ state }: Scenario, { command, user }: Acted): void {
  const { after, outcome } = simulateCommand(state, user, command);
  if (outcome.reject !== undefined) return;
  const copy = restore(JSON.parse(text(state)) as StateDump);
  copy.insuranceTarget = insuranceTarget(copy);
  const actor = copy.accountIndex.get(command.authority.vault ?? user) ?? -1;
  const execution = { state: copy, events: [], commandIndex: 0 };
  signedRules(command).execute(execution, copy.accounts[actor]!, command);
  expect(after.digest.hex()).toBe(copy.digest.hex());
  expect(text(after)).toBe(text(copy));
}

function endings(outcome: CommandResult, events: readonly EngineEvent[]): string[] {
  const statuses = events.flatMap((event) =>
    event.type === 'orderUpdated'
      ? [event.cancelCause ?? event.reject?.reason ?? event.status]
      : [],
  );
  return [outcome.reject?.reason ?? 'accepted', ...statuses];
}

/** Executes a history and returns its accepted commands and their results. */
function play(scenario: Scenario, seed: number): Set<string> {
  const pick = randomIntegers(seed);
  const seen = new Set<string>();
  for (let step = 0; step < STEPS; step++) {
    changeConditions(scenario, pick);
    if (!settle(scenario)) continue;
    const acted = anyCommand(scenario, pick);
    const { command } = acted;
    if (step % 5 === 0) expectSameDigest(scenario, acted);
    const predicted = predict(scenario, acted);
    const admitted = checkCommand(scenario.state, command, scenario.nowMs);
    const { events, outcomes } = scenario.block(command);
    if (admitted.reject !== undefined) {
      expect(predicted).toMatchObject({ outcome: admitted, events: [] });
      seen.add(admitted.reject.reason);
      continue;
    }
    expect(predicted.outcome).toEqual(outcomes[0]);
    expect(predicted.events).toEqual(events.filter(({ commandIndex }) => commandIndex === 0));
    for (const ending of endings(predicted.outcome, predicted.events)) seen.add(ending);
    if (predicted.outcome.reject === undefined) seen.add(command.type);
    if (predicted.outcome.builderDrop !== undefined) seen.add(predicted.outcome.builderDrop.reason);
    // Steps after a passive command in the same block are not part of the simulation.
    if (events.length > predicted.events.length) continue;
    expect(predicted.comparableState).toEqual(comparableState(scenario.state));
    expect(predicted.views).toEqual(views(scenario.state));
  }
  return seen;
}

/** Applies the same blocks to another state without simulations. */
function expectNoTrace(scenario: Scenario): void {
  const copy = createState();
  for (const { commands, timeMs: at } of scenario.blocks) {
    applyBlock(copy, { height: copy.height + 1, timeMs: timeMs(at), commands });
  }
  expect(copy.digest.hex()).toBe(scenario.state.digest.hex());
  expect(text(copy)).toBe(text(scenario.state));
}

const COMMANDS = [
  'placeOrders',
  'cancelOrders',
  'cancelByClientId',
  'modifyOrder',
  'cancelAll',
  'scheduleCancel',
  'reversePosition',
  'updateLeverage',
  'updateMarginMode',
  'updateIsolatedMargin',
  'updatePositionMode',
  'sendToken',
  'withdraw',
  'claimBuilderRewards',
  'approveAgent',
  'approveBuilder',
  'revokeBuilder',
  'convertToMultiSig',
];
const ENDINGS = ['open', 'filled', 'iocRemainder', 'selfTrade', 'userCanceled', 'parentCanceled'];
const REFUSALS = ['postOnlyWouldTrade', 'marginInsufficient', 'gated', 'vaultLeaderDiffers'];

test('a simulation changes nothing and matches execution if nothing happens in between', () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    for (const funds of [RICH, POOR]) {
      const scenario = openEverything(funds);
      for (const each of play(scenario, seed)) seen.add(each);
      expectNoTrace(scenario);
    }
  }
  const expectedKinds = [...COMMANDS, ...ENDINGS, ...REFUSALS, 'notApproved'];
  expect(expectedKinds.filter((each) => !seen.has(each))).toEqual([]);
});
