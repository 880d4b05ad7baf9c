import { timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { dump, restore } from '../dump/dump.ts';
import type { Command } from '../messages/command.ts';
import { anyCommand, changeConditions, openEverything } from '@oddlot/testing/engine/any-command';
import { Reached } from '@oddlot/testing/engine/reached';
import type { Scenario } from '@oddlot/testing/engine/scenario';
import { perpAt, randomIntegers } from '@oddlot/testing/engine/steps';
import { canSettle, HOUR_MS } from './sampled-hours.ts';
import type { Perp } from './perp.ts';
import { createState, type State } from './state.ts';

/**
 * The number of random histories, which include triggers, halts, stale oracles and closing perps.
 * Each is applied three times: by an ordinary venue, which skips unchanged perps; by one that
 * checks every perp in each block; and by a restored one. All must give the same result.
 */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 4);
const STEPS = 150;

test('a venue that checks perps only when necessary reaches the same state as one that always checks them', () => {
  const reached = new Reached();
  for (let seed = 1; seed <= RUNS; seed++) {
    const { blocks } = history(seed);
    const plain = createState();
    const checking = createState();
    let restored: State | undefined;
    const half = Math.floor(blocks.length / 2);
    for (const [at, { commands, timeMs: ms }] of blocks.entries()) {
      const block = { height: at + 1, timeMs: timeMs(ms), commands };
      const result = applyBlock(plain, block);
      reached.note(plain.watch.checksAll ? 'awake' : 'asleep');
      if (plain.hasUnpriced) reached.note('perp without valid price');
      if ([...plain.perps.values()].some(hasLostItsHour)) reached.note('an hour is lost');
      for (const { type } of result.events) reached.note(type);
      checking.watch.checkAll();
      expect(applyBlock(checking, block)).toEqual(result);
      expect(plain.insuranceTarget).toBe(checking.insuranceTarget);
      expect(plain.hasUnpriced).toBe(checking.hasUnpriced);
      if (restored !== undefined) expect(applyBlock(restored, block)).toEqual(result);
      if (at === half) restored = restore(dump(plain));
    }
    expect(dump(plain)).toEqual(dump(checking));
    expect(dump(plain)).toEqual(dump(restored ?? plain));
  }
  reached.demand(RUNS, 'awake', 'asleep', 'perp without valid price', 'tradeExecuted');
  reached.demand(1, 'fundingPaid', 'perpChanged', 'perpSettled', 'an hour is lost');
});

/** Returns true if missing samples, rather than a missing price, prevent a settlement. */
function hasLostItsHour({ closing, halted, openInterest }: Perp): boolean {
  return !halted && openInterest > 0 && closing !== undefined && !canSettle(closing);
}

function history(seed: number): Scenario {
  const pick = randomIntegers(seed);
  const scenario = openEverything(2_000_000_000);
  scenario.checks = false;
  for (let step = 0; step < STEPS; step++) {
    scenario.wait([0, 0, 1, 400, 1_000, 31_000][pick(6)] ?? 0);
    if (pick(4) === 0) changeConditions(scenario, pick);
    if (pick(10) === 0) scenario.block(operated(pick));
    scenario.block(...Array.from({ length: pick(3) }, () => anyCommand(scenario, pick).command));
  }
  // A closing perp reaches the end of its hour with occasional prices. In every second history,
  // prices stop for so long that the hour cannot settle, and another hour follows.
  const [silentMs, isLost] = [31 * 60_000, seed % 2 === 0];
  scenario.block({
    type: 'setPerp',
    instrumentId: perpAt(0).instrumentId,
    changes: {},
    delisted: true,
    ...(isLost && { halted: false }),
  });
  for (let passed = 0; passed < HOUR_MS + 60_000; passed += 17_000) {
    scenario.wait(17_000);
    if (isLost && passed < silentMs) scenario.block();
    else scenario.oracle(1_000_000 + pick(2_000));
    scenario.wait(pick(3)).block(anyCommand(scenario, pick).command);
  }
  return scenario;
}

/** Returns a command that halts or resumes a perp. */
function operated(pick: (below: number) => number): Command {
  const { instrumentId } = perpAt(pick(2));
  return { type: 'setPerp', instrumentId, changes: {}, halted: pick(3) === 0 };
}
