import { instrumentId } from '@oddlot/units';
import { expect, test } from 'vitest';
import { ScenarioVenue } from './scenario-table.ts';

test('R-trigger: a one-sided book moves the mark to a stop, but the stop does not fill far from the oracle price', () => {
  const scenario = new ScenarioVenue();
  const [owner, maker] = [scenario.person(1_000), scenario.person(100_000)];
  scenario.deal(owner, maker, 50);
  scenario.exit(owner, 'stopLoss', 99.2, -50);
  scenario.rest(maker, 100, 94);
  scenario.rest(maker, -0.2, 98.3);
  let lowest = scenario.mark();
  for (let seconds = 0; seconds < 900; seconds += 5) {
    scenario.prices({ 1: 100 }, 5);
    lowest = Math.min(lowest, scenario.mark());
  }
  expect(lowest, 'the stop was reached').toBeLessThanOrEqual(99.2);
  expect(scenario.units(owner), 'there is no bid within a hundredth of the oracle').toBe(50);
  // Once the oracle price follows, its band reaches the bid, and the stop fills.
  for (let seconds = 0; seconds < 30; seconds++) scenario.prices({ 1: 98.5 });
  expect(scenario.units(owner)).toBe(0);
});

test("R-delist: missed samples count in neither of the closing mark's two sums", () => {
  const scenario = new ScenarioVenue();
  const [long, short] = [scenario.person(10_000), scenario.person(10_000)];
  scenario.deal(long, short, 10);
  const id = instrumentId(1);
  scenario.venue.apply([{ type: 'setPerp', instrumentId: id, delisted: true, changes: {} }]);
  for (let seconds = 0; seconds < 31 * 60 - 10; seconds += 5) scenario.prices({ 1: 100 }, 5);
  // Half an hour passes without a price. The last ten seconds have a different one.
  scenario.prices({ 1: 90 }, 29 * 60);
  scenario.prices({ 1: 90 }, 9);
  const last = scenario.mark();
  scenario.prices({ 1: 90 });
  const settled = scenario.mark();
  expect(scenario.units(long), 'it is settled').toBe(0);
  expect(settled).toBeGreaterThan(99.9);
  expect(Math.abs(last - settled), 'the mark arrives without a jump').toBeLessThan(0.1);
});
