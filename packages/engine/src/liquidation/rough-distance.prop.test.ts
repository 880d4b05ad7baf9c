import { microUsdc, present } from '@oddlot/units';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountAt } from '../state/state.ts';
import { type Account, type Holding, holdingOf } from '../state/account.ts';
import { safeDistance, type Scope } from '../state/liquidations.ts';
import { alice, bob, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { healthOf, roughDistance } from './scope.ts';

class Stage {
  readonly venue = Scenario.open({ accounts: [alice] });
  readonly account: Account;
  readonly holdings: readonly Holding[];

  constructor() {
    const { venue } = this;
    const second = { ...PERP, instrumentId: 2 as typeof PERP.instrumentId, name: 'B-USDC' };
    venue.block({ type: 'registerPerp', perp: second });
    this.account = present(accountAt(venue.state, alice), 'an account with money');
    this.holdings = [1, 2].map((id) =>
      holdingOf(this.account, present(venue.state.perps.get(id), 'a listed perp'), 0, 20),
    );
  }

  set({ balance, positions }: Figures): void {
    this.account.perpBalance = microUsdc(balance);
    for (const [at, { cost, isIsolated, margin, mark, size }] of positions.entries()) {
      const holding = present(this.holdings[at], 'one of two positions');
      Object.assign(holding, { size, isIsolated });
      holding.cost = microUsdc(BigInt(mark) * BigInt(size) + cost);
      holding.isolatedMargin = microUsdc(margin);
      holding.perp.mark = mark;
    }
    // Invalidates the cached sums, which were computed at other marks.
    this.venue.state.markEpoch += 1;
  }

  scopes(): Scope[] {
    const { account, holdings } = this;
    const isolated = holdings.filter((holding) => holding.isIsolated);
    return [{ account, holding: undefined }, ...isolated.map((holding) => ({ account, holding }))];
  }
}

type Figures = {
  readonly balance: bigint;
  readonly positions: readonly {
    readonly mark: number;
    readonly size: number;
    /** The cost of the position: its loss, or its gain if negative. */
    readonly cost: bigint;
    readonly isIsolated: boolean;
    readonly margin: bigint;
  }[];
};

const money = (max: bigint): fc.Arbitrary<bigint> => fc.bigInt({ min: -max, max });

const figures = (sizeMax: number, priceMax: number, moneyMax: bigint): fc.Arbitrary<Figures> =>
  fc.record({
    balance: money(moneyMax),
    positions: fc.array(
      fc.record({
        mark: fc.integer({ min: 1, max: priceMax }),
        size: fc.integer({ min: -sizeMax, max: sizeMax }),
        cost: money(moneyMax),
        isIsolated: fc.boolean(),
        margin: money(moneyMax),
      }),
      { minLength: 2, maxLength: 2 },
    ),
  });

describe('R-liquidation: the rough distance is a lower bound of the exact distance', () => {
  test.each([
    ['of retail size', figures(2_000_000, 3_000_000, 100_000_000_000n)],
    ['beyond what a number holds', figures(10 ** 12, 9 * 10 ** 9, 10n ** 20n)],
  ])('the rough distance never exceeds the exact one, with positions %s', (_, any) => {
    const stage = new Stage();
    let safe = 0;
    fc.assert(
      fc.property(any, (figure) => {
        stage.set(figure);
        const { state } = stage.venue;
        for (const scope of stage.scopes()) {
          const rough = roughDistance(state, scope);
          const { equity, notional, risk } = healthOf(state, scope);
          const exact = notional === 0n ? 0 : safeDistance(equity, risk, notional);
          expect(rough).toBeGreaterThanOrEqual(0);
          expect(rough).toBeLessThanOrEqual(exact);
          // The distance must be large enough to be useful.
          if (exact > 1_000) expect(rough).toBeGreaterThanOrEqual(exact - 10 - exact / 1_000);
          if (rough > 0) safe += 1;
        }
      }),
      { numRuns: 500 },
    );
    expect(safe).toBeGreaterThan(100);
  });
});

test('a new mark recomputes only the sums of endangered accounts', () => {
  const venue = Scenario.open({ accounts: [] });
  venue.fund(alice, 1_000_000_000);
  venue.fund(bob, 25_000_000);
  const size = 200;
  venue.place(bob, order({ price: 1_000_000, size, isBuy: false }));
  venue.place(alice, order({ price: 1_000_000, size }));
  const epochOf = (address: typeof alice): number =>
    present(accountAt(venue.state, address), 'a trader').margin.epoch;
  venue.oracle(1_000_100);
  const before = epochOf(alice);
  // The marks move far enough for every account to be checked more than once.
  for (let turn = 0; turn < 20; turn++) venue.oracle(turn % 2 === 0 ? 1_050_000 : 1_000_000);
  expect([alice, bob].map(epochOf)).toEqual([before, before]);
  // Bob is short 200 USDC and can lose 25.
  venue.oracle(1_110_000);
  expect(epochOf(bob)).toBe(venue.state.markEpoch);
  expect(epochOf(alice)).toBe(before);
});
