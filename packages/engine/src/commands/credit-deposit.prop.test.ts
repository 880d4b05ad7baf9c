import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dump, restore, type StateDump } from '../dump/dump.ts';
import { checkInvariants } from '../check-invariants.ts';
import { depositStatus, isDepositCredited } from '../read/read-bridge.ts';
import { hasAccount } from '../read/read.ts';
import { CHAIN_ID, deposited, openTestBridge } from '@oddlot/testing/engine/bridge';
import { anyCommand, changeConditions, openEverything } from '@oddlot/testing/engine/any-command';
import { actor, alice, Scenario } from '@oddlot/testing/engine/scenario';
import { openVenue, randomIntegers, randomStep, toCommand } from '@oddlot/testing/engine/steps';

type Report = {
  readonly n: number;
  readonly index: number;
  readonly isOwn: boolean;
  readonly bind: number;
};

/** The reference model is a set of credited deposits and a sum per address. */
test('R-deposit: a deposit is credited once, in whatever order and however often it is reported', () => {
  const report = fc.record({
    n: fc.nat(12),
    index: fc.nat(3),
    isOwn: fc.boolean(),
    bind: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(report, { maxLength: 40 }), (history: readonly Report[]) => {
      const scenario = Scenario.open({ accounts: [alice] });
      openTestBridge(scenario);
      const seen = new Set<number>();
      const balances = new Map<string, bigint>();
      for (const { bind, isOwn, n, index } of history) {
        const account = actor(0x9100 + index);
        if (bind === 0) scenario.approve(alice, account, `bot ${index}`);
        const isBound = scenario.state.agents.has(account) && !hasAccount(scenario.state, account);
        const amount = 1_000_000 + n;
        const command = deposited(account, n, { isOwn, amount });
        const effect = depositStatus(scenario.state, command);
        const { isKept = false, reject } = scenario.block(command).outcomes[0] ?? {};
        const isNew = !seen.has(n);
        // No address in this history ever trades, so every binding is unused.
        expect(reject).toBeUndefined();
        expect(isKept).toBe(isNew && isBound && !isOwn);
        expect(effect).toBe(isNew ? (isKept ? 'bound' : 'open') : 'credited');
        if (isNew && !isKept) {
          seen.add(n);
          balances.set(account, (balances.get(account) ?? 0n) + BigInt(amount));
        }
        checkInvariants(scenario.state);
        expect(isDepositCredited(scenario.state, command.source)).toBe(seen.has(n));
      }
      for (const [account, balance] of balances) {
        expect(scenario.account(account as ReturnType<typeof actor>).perpBalance).toBe(balance);
      }
      const text = JSON.stringify(dump(scenario.state));
      expect(JSON.stringify(dump(restore(JSON.parse(text) as StateDump)))).toBe(text);
    }),
  );
});

test('R-conservation: money is conserved in random histories with all kinds of deposits', () => {
  for (const seed of [1, 2, 3]) {
    const pick = randomIntegers(seed);
    const scenario = openEverything(20_000_000);
    for (let at = 0; at < 300; at++) {
      changeConditions(scenario, pick);
      scenario.block(anyCommand(scenario, pick).command);
      if (at % 10 === 0) checkInvariants(scenario.state);
    }
    checkInvariants(scenario.state);
    expect(scenario.state.bridge?.credited.size).toBeGreaterThan(5);
    const restored = restore(JSON.parse(JSON.stringify(dump(scenario.state))) as StateDump);
    expect(restored.bridge).toEqual(scenario.state.bridge);
    expect(restored.bridge?.chainId).toBe(CHAIN_ID);
  }
});

test.each([
  [11, '077ca72ca89bd678c451d6a691e4f375'],
  [12, '39256b79a9ad7c14f407c0c70cb74d4c'],
])('R-era: history %i without a bridge keeps its digest', (seed, digest) => {
  const scenario = Scenario.open({ accounts: [] });
  openVenue(scenario);
  const pick = randomIntegers(seed);
  for (let block = 0; block < 150; block++) {
    if (pick(4) === 0) scenario.wait(pick(2_500));
    const steps = Array.from({ length: 1 + pick(4) }, () => randomStep(pick));
    scenario.block(...steps.map((step) => toCommand(scenario, step)));
  }
  expect(scenario.state.digest.hex()).toBe(digest);
});
