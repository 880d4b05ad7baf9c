import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCommand, changeConditions, openEverything } from '@oddlot/testing/engine/any-command';
import { openForSteps, outcomeSteps, takeStep } from '@oddlot/testing/engine/outcome-steps';
import { decide, later, marketOf, setPhase, UNIT } from '@oddlot/testing/engine/outcomes';
import { Reached } from '@oddlot/testing/engine/reached';
import type { Scenario } from '@oddlot/testing/engine/scenario';
import { randomIntegers } from '@oddlot/testing/engine/steps';
import { owedMicroUsdc } from './read-bridge.ts';
import { liabilities, liabilitiesMax } from './read-liabilities.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 20);

/**
 * Checks that the sum of all components less the shortfalls equals deposits less withdrawals paid
 * (R-conservation).
 */
function compare(state: Scenario['state']): void {
  let owed = 0n;
  let shortfall = 0n;
  let count = 0;
  for (const each of liabilities(state)) {
    const parts = [each.perp, each.outcome, each.withdrawHold, each.rewards];
    for (const part of [...parts, each.shortfall]) expect(part >= 0n).toBe(true);
    owed += parts.reduce((sum, part) => sum + part, 0n);
    shortfall += each.shortfall;
    count += 1;
  }
  expect(owed - shortfall).toBe(owedMicroUsdc(state));
  expect(count).toBeLessThanOrEqual(liabilitiesMax(state));
}

test('R-conservation: liabilities equal deposits less payouts after every block', () => {
  const reached = new Reached();
  for (let seed = 1; seed <= RUNS / 10; seed++) {
    const pick = randomIntegers(seed);
    const scenario = openEverything(20_000_000);
    for (let at = 0; at < 300; at++) {
      changeConditions(scenario, pick);
      const { command } = anyCommand(scenario, pick);
      scenario.block(command);
      compare(scenario.state);
      reached.note(command.type);
      if (scenario.state.withdrawals.size > 0) reached.note('withdrawHold');
    }
  }
  reached.demand(5, 'placeOrders', 'withdraw', 'withdrawHold', 'updateIsolatedMargin');
});

test('R-conservation: liabilities include shares both while they trade and while holders are being paid', () => {
  const fraction = fc.oneof(fc.constantFrom(0, UNIT, UNIT / 2), fc.integer({ min: 0, max: UNIT }));
  const reached = new Reached();
  fc.assert(
    fc.property(outcomeSteps, fraction, (steps, paid) => {
      const venue = openForSteps(0);
      for (const step of steps) {
        takeStep(venue, step);
        compare(venue.state);
      }
      if (marketOf(venue).locked > 0n) reached.note('locked');
      setPhase(venue, 'closed');
      compare(venue.state);
      decide(venue, paid);
      compare(venue.state);
      for (let at = 0; at < 3; at++) {
        later(venue, 250);
        compare(venue.state);
      }
    }),
    { numRuns: RUNS },
  );
  reached.demand(5, 'locked');
});
