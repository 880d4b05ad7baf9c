import { timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import { OrderPool } from '../book/order-pool.ts';
import { createAccount, type Holding, holdingOf } from '../state/account.ts';
import { createPerp, PerpWatch } from '../state/perp.ts';
import { alice, PARAMETERS, PERP } from '@oddlot/testing/engine/scenario';
import { tradePosition } from './position.ts';

function emptyHolding(): Holding {
  const perp = createPerp(PERP, new OrderPool(), PARAMETERS.liquidationFeeE8);
  return holdingOf(createAccount(0, alice, timeMs(0)), perp, 0, 20);
}

/**
 * Checks lines of `lots@price`. After `=>`, each line gives the size, the cost, and the PnL
 * realised by the trade and since the position was opened.
 */
function check(table: string): void {
  const holding = emptyHolding();
  const watch = new PerpWatch();
  for (const line of table.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const [trade = '', expected] = line.split('=>').map((each) => each.trim());
    const [size = 0, price = 0] = trade.split('@').map(Number);
    const closed = tradePosition({ timeMs: 7, watch }, holding, size, price);
    const realised = closed?.realised ?? 0n;
    const shown = `${holding.size} cost ${holding.cost} realised ${realised} of ${holding.realised}`;
    expect(`${trade} => ${shown}`).toBe(`${trade} => ${expected}`);
    expect(holding.perp.openInterest).toBe(Math.max(0, holding.size));
    expect(holding.updatedMs).toBe(7);
    expect([...watch.traded]).toEqual([holding.perp]);
  }
}

test('opening a position adds to its cost and realises no PnL', () =>
  check(`
    3@100 => 3 cost 300 realised 0 of 0
    2@150 => 5 cost 600 realised 0 of 0
  `));

test('R-rounding: reducing a position releases its cost in proportion', () =>
  check(`
     3@100 => 3 cost 300 realised 0 of 0
     2@150 => 5 cost 600 realised 0 of 0
    -2@200 => 3 cost 360 realised 160 of 160
    -3@100 => 0 cost 0 realised -60 of 100
  `));

// At a third, 33.3 of 100 releases 33; at a half, 33.5 of 67 releases 33; and the last lot releases
// the remaining 34.
test('R-rounding: a long’s released cost rounds towards zero, and the last lot releases the remainder', () =>
  check(`
     1@34 => 1 cost 34 realised 0 of 0
     2@33 => 3 cost 100 realised 0 of 0
    -1@50 => 2 cost 67 realised 17 of 17
    -1@50 => 1 cost 34 realised 17 of 34
    -1@50 => 0 cost 0 realised 16 of 50
  `));

test('R-rounding: a short’s released cost rounds towards zero', () =>
  check(`
    -1@34 => -1 cost -34 realised 0 of 0
    -2@33 => -3 cost -100 realised 0 of 0
     1@30 => -2 cost -67 realised 3 of 3
     1@30 => -1 cost -34 realised 3 of 6
     1@30 => 0 cost 0 realised 4 of 10
  `));

test('a trade through zero closes the whole old position and opens a new one with the remainder', () =>
  check(`
     3@100 => 3 cost 300 realised 0 of 0
    -5@110 => -2 cost -220 realised 30 of 0
     6@100 => 4 cost 400 realised 20 of 0
    -4@90  => 0 cost 0 realised -40 of -40
     1@70  => 1 cost 70 realised 0 of 0
  `));

test('R-exact: a cost above 2^53 is released exactly', () => {
  const holding = emptyHolding();
  const state = { timeMs: 1, watch: new PerpWatch() };
  // The cost is 10^12 lots × 9 × 10^9 = 9 × 10^21. A third of it, rounded towards zero, is 3 ×
  // 10^21.
  tradePosition(state, holding, 1_000_000_000_000, 9_000_000_000);
  expect(holding.cost).toBe(9_000_000_000_000_000_000_000n);
  const closed = tradePosition(state, holding, -333_333_333_333, 9_000_000_001);
  // The lots were bought and sold one unit apart, so each of the closed lots, a third of 10^12,
  // gains one unit.
  expect(closed?.realised).toBe(333_333_333_333n);
  expect(holding.cost).toBe(9_000_000_000n * 666_666_666_667n);
});
