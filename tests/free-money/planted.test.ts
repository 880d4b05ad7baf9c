import { negUsdc } from '@oddlot/units';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type * as BlindModule from '../../packages/engine/src/perp/margin-restriction.ts';
import type * as ClosingModule from '../../packages/engine/src/state/sampled-hours.ts';
import type * as PerpModule from '../../packages/engine/src/state/perp.ts';
import type * as FillModule from '../../packages/engine/src/perp/fill-check.ts';
import type * as FreeMarginModule from '../../packages/engine/src/perp/free-margin.ts';
import type * as GapModule from '../../packages/engine/src/liquidation/settle-insolvent.ts';
import type * as RankModule from '../../packages/engine/src/liquidation/adl-rank.ts';
import type * as MemoryModule from '../../packages/engine/src/state/block-record.ts';
import type * as PriceModule from '../../packages/engine/src/liquidation/bankruptcy-price.ts';
import type * as RestModule from '../../packages/engine/src/liquidation/deficit.ts';
import type * as PostModule from '../../packages/engine/src/ledger/post.ts';
import type * as FillableModule from '../../packages/engine/src/perp-orders/fillable-orders.ts';
import type * as MatchModule from '../../packages/engine/src/perp-orders/match-order.ts';
import type * as FundingRulesModule from '../../packages/engine/src/perp/funding.ts';
import { impactPrice, premiumE10 } from '../../packages/engine/src/perp/funding.ts';
import type * as FundingStepsModule from '../../packages/engine/src/steps/funding.ts';
import type * as FundModule from '../../packages/engine/src/perp/insurance-fund.ts';
import type { RankedPosition } from '../../packages/engine/src/liquidation/adl-rank.ts';
import type { Property } from './finding.ts';
import type { Found, World } from './search.ts';

/**
 * A search without findings means something only if it detects planted faults. Each test replaces
 * an engine module to disable one rule, and the search must report the violated property.
 */

const RUNS = 4_000;
/** Histories of the open world last for hours, so this many seeds take about a minute. */
const OPEN_RUNS = 60;
const TIMEOUT_MS = 300_000;

const BLIND = '../../packages/engine/src/perp/margin-restriction.ts';
const PERP = '../../packages/engine/src/state/perp.ts';
const CLOSING = '../../packages/engine/src/state/sampled-hours.ts';
const FILL_CHECK = '../../packages/engine/src/perp/fill-check.ts';
const FREE_MARGIN = '../../packages/engine/src/perp/free-margin.ts';
const SETTLE_GAP = '../../packages/engine/src/liquidation/settle-insolvent.ts';
const RANKS = '../../packages/engine/src/liquidation/adl-rank.ts';
const MEMORY = '../../packages/engine/src/state/block-record.ts';
const FUND = '../../packages/engine/src/perp/insurance-fund.ts';
const PRICES = '../../packages/engine/src/liquidation/bankruptcy-price.ts';
const REST = '../../packages/engine/src/liquidation/deficit.ts';
const POST = '../../packages/engine/src/ledger/post.ts';
const FILLABLE = '../../packages/engine/src/perp-orders/fillable-orders.ts';
const MATCH = '../../packages/engine/src/perp-orders/match-order.ts';
const FUNDING_STEPS = '../../packages/engine/src/steps/funding.ts';
const FUNDING_RULES = '../../packages/engine/src/perp/funding.ts';
const UNWINDING = '../../packages/engine/src/liquidation/unwind-fund.ts';

let planted: string[] = [];

/** Every object inherits `valueOf`, so it is not an export of the module. */
type Faults<Module> = Partial<Omit<Module, 'valueOf'>>;

/** Replaces some exports of an engine module for all later imports. */
function plant<Module extends object>(
  path: string,
  faults: (original: Module) => Faults<Module> | Promise<Faults<Module>>,
): void {
  planted.push(path);
  vi.doMock(path, async (importOriginal) => {
    const original = await importOriginal<Module>();
    return { ...original, ...(await faults(original)) };
  });
}

afterEach(() => {
  for (const path of planted) vi.doUnmock(path);
  planted = [];
  vi.resetModules();
});

type Wanted = {
  readonly world?: World;
  /**
   * The seed that last revealed the fault. The search starts there and moves on to the following
   * seeds.
   */
  readonly from: number;
  readonly says?: RegExp;
};

/** Searches the engine with the planted fault until one of these properties is violated. */
async function finds(
  { from, says, world = 'closed' }: Wanted,
  ...properties: readonly Property[]
): Promise<Found> {
  const { search } = await import('./search.ts');
  const others = new Set<string>();
  const runs = world === 'open' ? OPEN_RUNS : RUNS;
  for (let seed = from; seed < from + runs; seed++) {
    const [found] = search({ worlds: [world], seed, runs: 1 }).found;
    if (found === undefined) continue;
    const { message, property } = found.finding;
    if (properties.includes(property) && (says?.test(message) ?? true)) return found;
    others.add(property);
  }
  throw new Error(`not found from ${runs} seeds, but ${[...others].join(', ')}`);
}

describe(
  'R-oracle-stale: the search detects planted faults in margin restriction',
  { timeout: TIMEOUT_MS },
  () => {
    test.each([
      { way: 'a transfer', from: 3, says: /by sendToken/ },
      { way: 'a withdrawal', from: 78, says: /by withdraw/ },
      {
        way: 'margin for an isolated position',
        from: 93,
        says: /balance .* by updateIsolatedMargin/,
      },
      {
        way: 'margin of an isolated position',
        from: 987,
        says: /margin in .* by updateIsolatedMargin/,
      },
      {
        way: 'an isolated order',
        from: 441,
        says: /by placeOrders|went into an isolated position/,
      },
      { way: 'a lower leverage', from: 839, says: /by updateLeverage/ },
    ])(
      'the search detects $way that moves money out of a margin-restricted account',
      async (wanted) => {
        plant<typeof BlindModule>(BLIND, ({ unpricedDeduction }) => ({
          unpricedDeduction: zeroed(unpricedDeduction),
        }));
        await finds(wanted, 'out of a blind scope');
      },
    );

    test('the search detects a halted market that restricts no account', async () => {
      plant<typeof PerpModule>(PERP, ({ isUnpriced }) => ({
        isUnpriced: (perp, ...when) => isUnpriced({ ...perp, halted: false }, ...when),
      }));
      await finds({ from: 12 }, 'out of a blind scope', 'traded while blind');
    });

    test('the search detects a delisted market that has no price and restricts no account', async () => {
      plant<typeof PerpModule>(PERP, ({ isUnpriced }) => ({
        isUnpriced: (perp, ...when) =>
          perp.closing?.isWaiting !== true && isUnpriced(perp, ...when),
      }));
      await finds({ from: 32 }, 'out of a blind scope', 'traded while blind');
    });

    test('the search detects a closing hour that can no longer settle but restricts no account', async () => {
      plant<typeof ClosingModule>(CLOSING, () => ({ canSettle: () => true }));
      await finds({ from: 1 }, 'out of a blind scope', 'traded while blind');
    });

    test('the search detects fills that open positions or are far from the mark on a margin-restricted account', async () => {
      plant<typeof FillModule>(FILL_CHECK, () => ({ isFillPermitted: () => true }));
      await finds({ from: 161 }, 'traded while blind');
    });

    test('the search detects money leaving before a gap is settled', async () => {
      plant<typeof FreeMarginModule>(FREE_MARGIN, ({ withdrawable }) => ({
        withdrawable: (state, account) => {
          const { isBeforeLiquidations } = state.blockRecord;
          state.blockRecord.isBeforeLiquidations = false;
          const free = withdrawable(state, account);
          state.blockRecord.isBeforeLiquidations = isBeforeLiquidations;
          return free;
        },
      }));
      await finds({ from: 573 }, 'out ahead of a gap');
    });
  },
);

/** Returns the function with its result replaced by zero. */
function zeroed<Asked extends readonly unknown[], Answer extends bigint>(
  answer: (...asked: Asked) => Answer,
): (...asked: Asked) => Answer {
  return (...asked) => (answer(...asked) * 0n) as Answer;
}

describe(
  'R-order-of-events, R-adl: the search detects planted faults in deleveraging',
  { timeout: TIMEOUT_MS },
  () => {
    test('the search detects take-profits triggering before a gap is settled', async () => {
      plant<typeof GapModule>(SETTLE_GAP, () => ({ settleGap: () => {} }));
      plant<typeof MemoryModule>(MEMORY, ({ BlockRecord }) => ({
        BlockRecord: forgetful(BlockRecord),
      }));
      await finds({ from: 10 }, 'newcomer deleveraged');
    });

    test('the search detects the deleveraging of lots opened in the same entry', async () => {
      plant<typeof MemoryModule>(MEMORY, ({ BlockRecord }) => ({
        BlockRecord: forgetful(BlockRecord),
      }));
      await finds({ from: 2_001 }, 'newcomer deleveraged');
    });

    test('the search detects a winner being skipped because of a loss in another market', async () => {
      plant<typeof RankModule>(RANKS, ({ rankPositions }) => ({
        rankPositions: (state, perp, isLong, keyOf) =>
          rankPositions(state, perp, isLong, keyOf).filter(isAtEase),
      }));
      await finds({ from: 148 }, 'fund takes what others hold', 'deleveraged out of turn');
    });

    test('the search detects deleveraging in reverse order of profit', async () => {
      plant<typeof RankModule>(RANKS, ({ rankPositions }) => ({
        rankPositions: (...asked) => rankPositions(...asked).toReversed(),
      }));
      await finds({ from: 5 }, 'deleveraged out of turn');
    });
  },
);

/** Returns true if the margin ratio is well above 1: the equity is at least 2% of the positions. */
function isAtEase({ account, holding }: RankedPosition): boolean {
  const own = holding.isIsolated ? [holding] : [...account.holdings.values()];
  let equity: bigint = holding.isIsolated ? holding.isolatedMargin : account.perpBalance;
  let notional = 0n;
  for (const { cost, isIsolated, perp, size } of own) {
    if (isIsolated !== holding.isIsolated) continue;
    equity += BigInt(size) * BigInt(perp.mark) - cost;
    notional += BigInt(Math.abs(size)) * BigInt(perp.mark);
  }
  return equity * 50n > notional;
}

/** Returns a record class that counts every lot as old. */
function forgetful(
  Original: (typeof MemoryModule)['BlockRecord'],
): (typeof MemoryModule)['BlockRecord'] {
  return class extends Original {
    override heldSince(holding: Parameters<InstanceType<typeof Original>['heldSince']>[0]): number {
      return Math.abs(holding.size);
    }
  };
}

describe(
  'R-insurance-fund: the search detects planted faults in the insurance fund',
  { timeout: TIMEOUT_MS },
  () => {
    test('the search detects a large fund paying for a gap', async () => {
      plant<typeof FundModule>(FUND, ({ mayTakeOver }) => ({
        // Ignores what the fund paid in the last hour and in the current step.
        mayTakeOver: (state, position, size) =>
          mayTakeOver(state, position, size, position.perp.mark),
      }));
      await finds({ from: 10 }, 'fund pays too much', 'fund too large');
    });

    test('the search detects unwinding that pays the only bidder', async () => {
      plant(UNWINDING, () => import('./planted/unwind-fund.ts'));
      await finds({ from: 364 }, 'fund sells too low');
    });
  },
);

describe(
  'R-funding, R-fillable: the search detects planted faults in funding and the fill test',
  { timeout: TIMEOUT_MS },
  () => {
    test('the search detects a premium created by orders that cannot fill', async () => {
      plant<typeof FundingStepsModule>(FUNDING_STEPS, ({ sampleBooks }) => ({
        sampleBooks: unbounded(sampleBooks),
      }));
      plant<typeof FillableModule>(FILLABLE, () => ({
        testBestOrders: () => {},
        testImpactOrders: () => {},
        wouldTrade: (_execution, _account, { book }, { isBuy, price }) =>
          book.crosses(isBuy, price),
      }));
      await finds({ world: 'open', from: 2 }, 'mark of a phantom', 'funding beyond its bound');
    });

    test('the search detects a momentary premium created by orders that can fill', async () => {
      plant<typeof FundingStepsModule>(FUNDING_STEPS, ({ sampleBooks }) => ({
        sampleBooks: unbounded(sampleBooks),
      }));
      await finds({ world: 'open', from: 7 }, 'funding beyond its bound');
    });

    test('the search detects premiums sampled in the closing hour', async () => {
      plant<typeof FundingRulesModule>(FUNDING_RULES, ({ isSampled }) => ({
        isSampled: (state, perp) => isSampled(state, { ...perp, closing: undefined }),
      }));
      await finds({ world: 'open', from: 15 }, 'funding beyond its bound');
    });

    test('the search detects post-only orders rejected because of an order that cannot fill', async () => {
      plant<typeof FillableModule>(FILLABLE, () => ({
        wouldTrade: (_execution, _account, { book }, { isBuy, price }) =>
          book.crosses(isBuy, price),
      }));
      await finds({ world: 'open', from: 36 }, 'refused by a phantom');
    });

    test('the search detects a fill test that cancels orders that could fill', async () => {
      plant<typeof MatchModule>(MATCH, ({ isFillable }) => ({
        isFillable: (state, slot) => slot % 8 > 0 && isFillable(state, slot),
      }));
      await finds({ world: 'open', from: 3 }, 'cancelled with margin');
    });

    test('the search detects an insurance fund that pays funding', async () => {
      plant<typeof FundingStepsModule>(FUNDING_STEPS, ({ settleFunding }) => ({
        // Treats another account as the fund while funding is settled.
        settleFunding: ({ state, ...execution }, previousMs) => {
          const { fundIndex } = state;
          state.fundIndex = state.accounts.findIndex(({ index }) => index !== fundIndex);
          settleFunding({ ...execution, state }, previousMs);
          state.fundIndex = fundIndex;
        },
      }));
      await finds({ world: 'open', from: 14 }, 'fund pays funding');
    });

    test('an open-world search without a planted fault finds no violation in the same histories', async () => {
      const { search } = await import('./search.ts');
      const found = [2, 7, 15].flatMap((seed) => search({ worlds: ['open'], seed, runs: 1 }).found);
      expect(found.map(({ finding }) => finding.message)).toEqual([]);
    });
  },
);

type SampleBooks = (typeof FundingStepsModule)['sampleBooks'];

/** Samples only the book's premium, without the mark bounds and the cap. */
function unbounded(sampleBooks: SampleBooks): SampleBooks {
  return (execution, previousMs) => {
    const { perps, timeMs } = execution.state;
    const isHour = timeMs % 3_600_000 === 0;
    const before = new Map([...perps].map(([id, { funding }]) => [id, funding.samples]));
    sampleBooks(execution, previousMs);
    for (const [id, perp] of perps) {
      const sampled = 1 + (isHour ? 0 : (before.get(id) ?? 0));
      if (perp.funding.samples !== sampled) continue;
      const { book, definition } = perp;
      const [bid, ask] = [true, false].map((isBuy) =>
        impactPrice(book, isBuy, definition.impactNotionalMicroUsdc),
      );
      perp.funding.sum += bookPremium(perp.oracle, bid, ask) - premiumE10(perp, bid, ask);
    }
  };
}

type Impact = ReturnType<typeof impactPrice>;

function bookPremium(oracle: number, bid: Impact, ask: Impact): bigint {
  const definition = { premiumCapE8: Number.MAX_SAFE_INTEGER };
  const above = premiumE10({ oracle, mark: 1_000 * oracle, definition }, bid, undefined);
  return above > 0n ? above : premiumE10({ oracle, mark: 1, definition }, undefined, ask);
}

describe(
  'R-bankruptcy-price, R-deficit: the search detects planted faults in bankruptcy prices and deficits',
  { timeout: TIMEOUT_MS },
  () => {
    test('the search detects a market with no price move paying for a gap in another market', async () => {
      plant<typeof PriceModule>(PRICES, () => ({ bankruptcyPrice: priceByMaintenance }));
      await finds({ from: 89 }, 'deleveraged at a worse price');
    });

    test("the search detects a gap being closed at the mark at the fund's expense", async () => {
      plant<typeof PriceModule>(PRICES, () => ({ bankruptcyPrice: markOf }));
      await finds({ from: 1 }, 'fund pays a deficit');
    });

    test('the search detects an unpaid deficit', async () => {
      plant<typeof PriceModule>(PRICES, () => ({ bankruptcyPrice: markOf }));
      plant<typeof PostModule>(POST, () => ({ postDeficit: () => {} }));
      await finds({ from: 1 }, 'conservation');
    });

    test('the search detects a deficit charged to an uninvolved account', async () => {
      plant<typeof PriceModule>(PRICES, () => ({ bankruptcyPrice: markOf }));
      plant<typeof RestModule>(REST, ({ closeDeficit }) => ({
        closeDeficit: withoutEvents(closeDeficit),
      }));
      plant<typeof PostModule>(POST, ({ postDeficit, postToBalance }) => ({
        postDeficit: (state, missing) => {
          const fund = state.parameters?.insuranceFundAddress;
          const others = [...state.accounts].filter(({ address }) => address !== fund);
          const rich = others.find(({ perpBalance }) => perpBalance > missing);
          if (rich === undefined) postDeficit(state, missing);
          else postToBalance(state, rich, negUsdc(missing));
        },
      }));
      await finds({ from: 4 }, 'taken from a bystander');
    });

    test.each([
      { who: 'owners of all positions', from: 1, property: 'gained by a bankruptcy' },
      { who: 'owners among others, in the end', from: 4, property: "owner's sum" },
    ] as const)(
      'the search detects fund payments to $who without an event',
      async ({ from, property }) => {
        plant<typeof PriceModule>(PRICES, () => ({ bankruptcyPrice: markOf }));
        plant<typeof RestModule>(REST, ({ closeDeficit }) => ({
          closeDeficit: withoutEvents(closeDeficit),
        }));
        await finds({ from }, property);
      },
    );

    test('a search without a planted fault finds no violation in the same histories', async () => {
      const { search } = await import('./search.ts');
      const found = [1, 4, 89].flatMap(
        (seed) => search({ worlds: ['closed'], seed, runs: 1 }).found,
      );
      expect(found.map(({ finding }) => finding.message)).toEqual([]);
    });
  },
);

function withoutEvents(
  closeDeficit: (typeof RestModule)['closeDeficit'],
): (typeof RestModule)['closeDeficit'] {
  return (execution, scope) => {
    const eventCount = execution.events.length;
    closeDeficit(execution, scope);
    execution.events.length = eventCount;
  };
}

type BankruptcyPrice = (typeof PriceModule)['bankruptcyPrice'];

/** Splits a margin account's deficit in proportion to maintenance margin instead of losses. */
function priceByMaintenance(
  ...[, , holding, { equity, maintenance }]: Parameters<BankruptcyPrice>
): number {
  const { maintenance: own, perp, size } = holding;
  return Math.max(1, perp.mark - Number((equity * own) / (maintenance * BigInt(size))));
}

function markOf(...[, , { perp }]: Parameters<BankruptcyPrice>): number {
  return perp.mark;
}
