import { microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { dump, restore } from '../dump/dump.ts';
import { postDeficit, postToBalance } from '../ledger/post.ts';
import type { BlockResult } from '../messages/block.ts';
import { NO_INSTRUMENT } from '../state/fund-costs.ts';
import {
  deal,
  FUND,
  jumpPrices,
  money,
  openGap,
  setReserves,
  worth,
  X,
  Z,
} from '@oddlot/testing/engine/gaps';
import { actor, type Scenario } from '@oddlot/testing/engine/scenario';
import { insuranceFund, noteFundCost } from './insurance-fund.ts';

const MINUTE_MS = 60_000;
const [failing, other] = [actor(0xfa11), actor(0x07e4)];

const steps = ({ events }: BlockResult): string[] =>
  events.flatMap((event) => (event.type === 'liquidationStep' ? [event.step] : []));

/**
 * Returns a venue in which one account is long 10 coins with 50 USDC and another is short; the fund
 * has 20,000.
 */
function held(fund = 20_000): Scenario {
  const venue = openGap();
  venue.fund(failing, 50_000_000);
  venue.fund(other, 1_000_000_000_000);
  deal(venue, [failing, other], X, 10);
  setReserves(venue, fund);
  return venue;
}

function note(venue: Scenario, id: number, usdc: number): void {
  noteFundCost(venue.state, id, microUsdc(money(usdc)));
}

/**
 * Moves X from 100 to 90, which loses 50 more than the margin. In the worst case, the fund would
 * overpay by 100.
 */
const gap = (venue: Scenario): string[] => steps(jumpPrices(venue, 90, 100));

describe('R-insurance-fund: the fund’s costs within an hour are limited', () => {
  // The limit of 5% of 20,000 is 1,000. It includes the 100 of this take-over, so at most 900 can
  // precede it.
  test.each([
    { before: 900, found: ['insurance'] },
    { before: 900.000001, found: ['adl'] },
  ])('the fund pays at most 5% per hour in one instrument: $before', ({ before, found }) => {
    const venue = held();
    note(venue, X, before);
    expect(gap(venue)).toEqual(found);
  });

  // The limit of 10% is 2,000, which allows 1,900 in other instruments.
  test.each([
    { before: 1_900, found: ['insurance'] },
    { before: 1_900.000001, found: ['adl'] },
  ])('the fund pays at most 10% per hour in all instruments: $before', ({ before, found }) => {
    const venue = held();
    note(venue, Z, before);
    expect(gap(venue)).toEqual(found);
  });

  test('costs count for the current minute and the preceding 59 minutes', () => {
    for (const [minutes, found] of [
      [59, 'adl'],
      [60, 'insurance'],
    ] as const) {
      const venue = held();
      note(venue, X, 1_000);
      // A new price comes first, because a gap is measured from the last valid mark.
      venue.wait(minutes * MINUTE_MS - 1_000 - (venue.nowMs % MINUTE_MS));
      jumpPrices(venue, 100, 100);
      expect(gap(venue), `${minutes} minutes later`).toEqual([found]);
    }
  });

  // The fund buys at 95 when the mark is 90, so the cost is 50 instead of the estimated 100.
  test('the actual cost of a take-over is counted at its price', () => {
    const venue = held();
    gap(venue);
    expect(worth(venue, FUND)).toBe(money(19_950));
    expect(venue.state.fundCosts.of(venue.nowMs, X)).toBe(money(50));
    expect(venue.state.fundCosts.total(venue.nowMs)).toBe(money(50));
    const plain = dump(venue.state);
    expect(plain.fundCosts).toEqual([[X, Math.floor(venue.nowMs / MINUTE_MS), '50000000']]);
    expect(dump(restore(plain))).toEqual(plain);
  });

  // At 95.5, the remaining 5 are below two thirds of 9.55. The fund buys at 95, which is a gain of
  // 5. In step (7), the fund takes the position over without a cost limit.
  test('gains neither reduce the fund’s costs nor count towards its limits', () => {
    const venue = held();
    note(venue, X, 1_000_000);
    expect(steps(jumpPrices(venue, 95.5, 100))).toEqual(['market', 'insurance']);
    expect(venue.state.fundCosts.total(venue.nowMs)).toBe(money(1_000_000));
  });

  // The 10 coins that the fund bought at 95 are sold at 89.91, 0.1% below 90, for 0.90 less than
  // their value at the mark.
  test('the cost of unwinding is counted, and a better price does not reduce it', () => {
    const venue = held();
    gap(venue);
    venue.one(other, { price: 899_100, size: 400 });
    venue.wait(9_000);
    jumpPrices(venue, 90, 100);
    expect(venue.position(FUND, X)).toBe(600);
    // Selling 4 coins costs 0.09 each.
    expect(venue.state.fundCosts.of(venue.nowMs, X)).toBe(money(50.36));
    venue.one(other, { price: 905_000, size: 600 });
    venue.wait(9_000);
    jumpPrices(venue, 90, 100);
    expect(venue.position(FUND, X)).toBe(0);
    expect(venue.state.fundCosts.of(venue.nowMs, X)).toBe(money(50.36));
  });

  test('R-deficit: other accounts’ deficits are counted but never limited', () => {
    const venue = held();
    note(venue, X, 50_000);
    postDeficit(venue.state, microUsdc(money(300)));
    postToBalance(venue.state, venue.account(other), microUsdc(money(300)));
    expect(venue.state.fundCosts.total(venue.nowMs)).toBe(money(50_300));
    expect(venue.state.fundCosts.of(venue.nowMs, NO_INSTRUMENT)).toBe(money(300));
    expect(insuranceFund(venue.state).perpBalance).toBe(money(19_700));
  });

  test('R-deficit: payments by the treasury are not counted as costs of the fund', () => {
    const venue = held(100);
    setReserves(venue, 100, 150);
    postDeficit(venue.state, microUsdc(money(300)));
    postToBalance(venue.state, venue.account(other), microUsdc(money(300)));
    expect(venue.state.fundCosts.total(venue.nowMs)).toBe(money(150));
  });
});
