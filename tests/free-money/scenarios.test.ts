import type { Address } from '@oddlot/units';
import { expect, test } from 'vitest';
import { ScenarioVenue } from './scenario-table.ts';

/**
 * Written scenarios of price gaps. Each of them once gained money from the venue or from another
 * account. There are no fees, so at the end the owners may not have more than their initial total.
 */

test('R-liquidation: three accounts with positions against each other settle a gap among themselves', () => {
  const scenario = new ScenarioVenue(2, { ...FIFTY, takerFeeE8: 0, makerFeeE8: 0 });
  const terms = { leverage: 50 };
  const [j, k, b] = [
    scenario.person(1_200, 'cross', terms),
    scenario.person(520, 'cross', terms),
    scenario.person(5_000, 'cross', terms),
  ];
  scenario.deal(j, b, 100);
  scenario.deal(k, j, 100, 100, 2);
  expect([scenario.sum(j), scenario.sum(k), scenario.sum(b)]).toEqual([1_200, 520, 5_000]);
  scenario.prices({ 1: 75, 2: 92 });
  expect([scenario.sum(j), scenario.sum(k), scenario.sum(b)]).toEqual([0, 0, 6_720]);
  expect(scenario.reserves).toBe(0);
});

test("R-order-of-events: a hedge's take-profit does not leave the other side's loss to a maker", () => {
  const scenario = new ScenarioVenue();
  const owner = scenario.person(2_000, 'isolated', { hedge: true });
  const maker = scenario.person(100_000);
  hedge(scenario, owner, maker, 100);
  scenario.exit(owner, 'takeProfit', 85, 100);
  expect(scenario.rest(maker, -100, 80.4)).toBeUndefined();
  scenario.prices({ 1: 80 });
  // Without the rule, the owner gained 1,460 from the maker, who sold at 80.40 and was closed at 95
  // in the same entry.
  expect(scenario.sum(owner)).toBeLessThanOrEqual(2_000);
  expect(scenario.sum(maker)).toBeGreaterThanOrEqual(100_000);
});

test("R-adl: one account's take-profit does not leave its partner account's loss to a maker", () => {
  const scenario = new ScenarioVenue();
  const [long, short] = [scenario.person(1_000, 'isolated'), scenario.person(2_000, 'isolated')];
  const maker = scenario.person(100_000);
  scenario.deal(long, short, 200);
  scenario.exit(short, 'takeProfit', 85, 200);
  expect(scenario.rest(maker, -200, 80.4)).toBeUndefined();
  scenario.prices({ 1: 80 });
  // Without the rule, the two accounts together gained 2,920.
  expect(scenario.sum(long, short)).toBeLessThanOrEqual(3_000);
  expect(scenario.sum(maker)).toBeGreaterThanOrEqual(100_000);
});

test('R-deficit: a take-profit does not leave a loss to the fund and the treasury if the maker has little money', () => {
  const scenario = new ScenarioVenue();
  const [long, short] = [scenario.person(1_000, 'isolated'), scenario.person(2_000, 'isolated')];
  const maker = scenario.person(1_100);
  scenario.fund(2_000);
  scenario.deal(long, short, 200);
  scenario.exit(short, 'takeProfit', 85, 200);
  expect(scenario.rest(maker, -200, 80.4)).toBeUndefined();
  scenario.prices({ 1: 80 });
  for (let seconds = 0; seconds < 5; seconds++) scenario.prices({ 1: 80 });
  expect(scenario.sum(long, short)).toBeLessThanOrEqual(3_000);
  expect(scenario.sum(maker)).toBeGreaterThanOrEqual(1_100);
  expect(scenario.reserves).toBeGreaterThanOrEqual(2_000);
});

test('R-adl: a loss in another market does not protect a winner from deleveraging', () => {
  const scenario = new ScenarioVenue(2);
  const [loser, winner, third] = [500, 1_000, 5_000].map((usdc) => scenario.person(usdc));
  if (loser === undefined || winner === undefined || third === undefined) throw new Error('three');
  scenario.fund(2_000);
  scenario.deal(loser, winner, 100);
  scenario.deal(winner, third, 100, 100, 2);
  // The winner has a ratio below 1, with an equity of 150 and positions of 15,150.
  scenario.prices({ 1: 80, 2: 71.5 });
  expect(scenario.sum(loser, winner, third)).toBeLessThanOrEqual(6_500);
  expect(scenario.reserves).toBeGreaterThanOrEqual(2_000);
});

test('R-insurance-fund: a large fund does not pay for a gap costing more than a twentieth of its value', () => {
  const scenario = new ScenarioVenue();
  const [long, short] = [scenario.person(500), scenario.person(2_000)];
  scenario.fund(20_000);
  scenario.deal(long, short, 100);
  scenario.prices({ 1: 80 });
  // Without the rule, the two accounts together gained 1,500 from the fund.
  expect(scenario.sum(long, short)).toBeLessThanOrEqual(2_500);
  expect(scenario.reserves).toBeGreaterThanOrEqual(20_000);
});

test('R-insurance-fund: consecutive gaps in several markets cost the fund at most a tenth in an hour', () => {
  const markets = [1, 2, 3, 4, 5, 6];
  const scenario = new ScenarioVenue(markets.length);
  scenario.fund(100_000);
  const owners: Address[] = [];
  for (const id of markets) {
    const [long, short] = [scenario.person(1_000), scenario.person(4_000)];
    owners.push(long, short);
    scenario.deal(long, short, 200, 100, id);
    scenario.prices({ [id]: 80 });
  }
  // Without the rule, each pair of accounts gained 3,000.
  expect(scenario.reserves).toBeGreaterThanOrEqual(90_000);
  expect(scenario.sum(...owners)).toBeLessThanOrEqual(6 * 5_000 + 10_000);
});

test("R-insurance-fund: the only bidder for the fund's position gains less than the margin the fund took over", () => {
  const scenario = new ScenarioVenue();
  scenario.fund(200_000);
  const [long, short] = [scenario.person(5_000), scenario.person(20_000)];
  const bidder = scenario.person(200_000);
  scenario.deal(long, short, 1_000);
  // The equity is 0.6% of the position, the maintenance margin is 1%, and there are no bids.
  scenario.prices({ 1: 95.6 });
  scenario.prices({ 1: 95.6 });
  expect(scenario.units(scenario.venue.fund)).toBe(1_000);
  const before = scenario.sum(long, short, bidder);
  for (let tries = 0; tries < 67; tries++) {
    if (tries % 2 === 0) scenario.rest(bidder, 49, 94.65);
    scenario.prices({ 1: 95.6 }, 10);
  }
  // Without the rule, the fund took over the position at 95 and sold it at 94.65, 1% below the
  // mark.
  const gained = scenario.sum(long, short, bidder) - before;
  expect(gained).toBeLessThanOrEqual(0.005 * 95_600);
  expect(scenario.reserves).toBeGreaterThanOrEqual(200_000);
});

const FIFTY = {
  tiers: [{ tier: 1, minSize: 0, maxSize: 100_000_000, maxLeverage: 50, mmrE8: 1_000_000 }],
};

/** Opens a long and a short for one account against a maker, whose own position is then flat. */
function hedge(scenario: ScenarioVenue, owner: Address, maker: Address, units: number): void {
  scenario.deal(owner, maker, units);
  scenario.deal(maker, owner, units);
  expect(scenario.units(maker)).toBe(0);
  expect(scenario.units(owner)).toBe(0);
}
