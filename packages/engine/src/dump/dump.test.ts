import { timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { checkInvariants } from '../check-invariants.ts';
import type { Command } from '../messages/command.ts';
import { alice, bob, Scenario } from '@oddlot/testing/engine/scenario';
import {
  openVenue,
  randomIntegers,
  randomStep,
  type Step,
  toCommand,
} from '@oddlot/testing/engine/steps';
import { dump, dumpPacked, type PackedDump, restore, type StateDump } from './dump.ts';

function through(text: string): StateDump {
  return JSON.parse(text) as StateDump;
}

function copied(packed: PackedDump): PackedDump {
  return structuredClone({ ...packed, orders: [...packed.orders] });
}

function run(scenario: Scenario, seed: number, blocks: number): void {
  const pick = randomIntegers(seed);
  for (let i = 0; i < blocks; i++) {
    if (pick(4) === 0) scenario.wait(pick(2_500));
    const steps: Step[] = Array.from({ length: 1 + pick(4) }, () => randomStep(pick));
    scenario.block(...steps.map((step): Command => toCommand(scenario, step)));
  }
}

function opened(): Scenario {
  const scenario = Scenario.open({ accounts: [] });
  openVenue(scenario);
  return scenario;
}

describe('R-determinism: a restored dump is identical to the original state', () => {
  test.each([1, 2, 3, 4])(
    'a restored venue has the same dump and the same future (history %i)',
    (seed) => {
      const scenario = opened();
      run(scenario, seed, 150);
      const text = JSON.stringify(dump(scenario.state));
      const restored = restore(through(text));
      checkInvariants(restored);
      expect(JSON.stringify(dump(restored))).toBe(text);
      const from = scenario.blocks.length;
      run(scenario, seed + 1_000, 150);
      for (const { timeMs: at, commands } of scenario.blocks.slice(from)) {
        applyBlock(restored, { height: restored.height + 1, timeMs: timeMs(at), commands });
      }
      checkInvariants(restored);
      expect(restored.digest.hex()).toBe(scenario.state.digest.hex());
      expect(JSON.stringify(dump(restored))).toBe(JSON.stringify(dump(scenario.state)));
    },
  );

  test.each([1, 2, 3, 4])(
    'a packed dump contains the same state as a plain one (history %i)',
    (seed) => {
      const scenario = opened();
      run(scenario, seed, 150);
      const plain = dump(scenario.state);
      expect(plain.orders.length).toBeGreaterThan(0);
      const packed = copied(dumpPacked(scenario.state));
      const restored = restore(packed);
      checkInvariants(restored);
      expect(JSON.stringify(dump(restored))).toBe(JSON.stringify(plain));
      expect(copied(dumpPacked(restored))).toEqual(packed);
      // The log attests a hash of this JSON, so its keys need a stable order (R-snapshots).
      expect(JSON.stringify(copied(dumpPacked(restored)))).toBe(JSON.stringify(packed));
    },
  );

  test('an empty venue can be dumped and restored', () => {
    const { state } = new Scenario();
    expect(dump(restore(through(JSON.stringify(dump(state)))))).toEqual(dump(state));
  });

  test('time priority is preserved by a dump, even with equal times', () => {
    const scenario = Scenario.open();
    const first = scenario.one(alice, { price: 1_000_000, size: 20 });
    scenario.one(bob, { price: 1_000_000, size: 20 });
    const restored = restore(through(JSON.stringify(dump(scenario.state))));
    expect(restored.pool.orderId[restored.perps.get(1)!.book.best(true)]).toBe(first.orderId);
  });

  test('the JSON of a dump is canonical and does not depend on the history of the state', () => {
    const forth = Scenario.open({ accounts: [] });
    forth.fund(alice, 20_000_000);
    forth.fund(bob, 20_000_000);
    const back = restore(dump(forth.state));
    expect(JSON.stringify(dump(back))).toBe(JSON.stringify(dump(forth.state)));
  });

  test('later state changes do not affect a dump', () => {
    const scenario = opened();
    run(scenario, 9, 60);
    const plain = dump(scenario.state);
    const text = JSON.stringify(plain);
    run(scenario, 10, 60);
    expect(JSON.stringify(plain)).toBe(text);
  });
});
