import {
  assert,
  divFloor,
  type MicroUsdc,
  nearestNumber,
  RATE_ONE,
  tieredUp,
  ZERO_USDC,
} from '@oddlot/units';
import { LevelBook } from '../book/level-book.ts';
import type { OrderPool } from '../book/order-pool.ts';
import type { MarginTier, PerpDefinition } from '../messages/command.ts';
import { canSettle, type Closing, type FundingHour } from './sampled-hours.ts';

export type Perp = {
  definition: PerpDefinition;
  tiers: TierTable;
  maxLeverage: number;
  /**
   * The maximum distance of the mark from the oracle (R-mark), in 10^-8. It is derived from the
   * definition by `markBandE8`.
   */
  markBandE8: number;
  readonly book: LevelBook;
  halted: boolean;
  /** Set when the operator delists the perp (R-delist). */
  closing: Closing | undefined;
  /** True after the closing hour has settled and every position is closed. */
  delisted: boolean;
  /** The oracle price; 0 before the first one arrives and starts trading. */
  oracle: number;
  oracleMs: number;
  /**
   * The lowest and highest order prices accepted at the current oracle price (R-sizes), derived
   * from the oracle.
   */
  bandMin: number;
  bandMax: number;
  /** The external price, called C in R-mark; 0 without a feed. */
  external: number;
  externalMs: number;
  /** The mark price; 0 before the first one. */
  mark: number;
  markMs: number;
  /**
   * The mark in the last earlier block in which the market had a valid price; 0 before the first
   * one.
   */
  lastValidMark: number;
  /** The exponential moving average of (mid − oracle), in 10^-6 price units (R-ema). */
  ema: number;
  /** The whole second up to which the moving average has been computed. */
  emaMs: number;
  lastTrade: number;
  lastTradeMs: number;
  /** The sum of the long positions, in lots. */
  openInterest: number;
  /** This perp's share of `PerpWatch.interest`. Derived, so not dumped. */
  countedInterest: MicroUsdc;
  /** The legs of the open positions, by the key that `setSize` writes. Derived, so not dumped. */
  readonly holders: Map<number, 0 | 1>;
  readonly day: DayStats;
  /** The samples of the current hour (R-funding). */
  readonly funding: FundingHour;
};

export function createPerp(
  definition: PerpDefinition,
  pool: OrderPool,
  liquidationFeeE8: number,
): Perp {
  const tiers = tierTable(definition.tiers);
  return {
    definition,
    tiers,
    maxLeverage: tiers.maxLeverage,
    markBandE8: markBandE8(definition, liquidationFeeE8),
    book: new LevelBook(pool, definition.instrumentId),
    halted: false,
    closing: undefined,
    delisted: false,
    oracle: 0,
    oracleMs: 0,
    bandMin: 0,
    bandMax: 0,
    external: 0,
    externalMs: 0,
    mark: 0,
    markMs: 0,
    lastValidMark: 0,
    ema: 0,
    emaMs: 0,
    lastTrade: 0,
    lastTradeMs: 0,
    openInterest: 0,
    countedInterest: ZERO_USDC,
    holders: new Map(),
    day: new DayStats(),
    funding: { sum: 0n, samples: 0, due: undefined },
  };
}

/** Returns true if the oracle is older than the limit or has no price yet (R-oracle-stale). */
export function isOracleStale(perp: Perp, timeMs: number, staleMs: number): boolean {
  return perp.oracle === 0 || timeMs - perp.oracleMs > staleMs;
}

/**
 * Returns true for a market without a valid price: it is halted (even while waiting for a price to
 * restart its closing hour), its oracle is stale, or its closing hour can no longer settle
 * (R-delist). The settlement price of a delisted perp is final and valid.
 */
export function isUnpriced(perp: Perp, timeMs: number, staleMs: number): boolean {
  const { closing, delisted, halted } = perp;
  if (delisted) return false;
  if (closing !== undefined && !canSettle(closing)) return true;
  return halted || isOracleStale(perp, timeMs, staleMs);
}

/** Returns the last valid mark, or the current mark if there is none yet. */
export function lastValidMarkOf({ lastValidMark, mark }: Perp): number {
  return lastValidMark === 0 ? mark : lastValidMark;
}

/**
 * The margin tiers by position size (R-tiers). The deduction that makes maintenance margin
 * continuous is `ded(n) = ded(n−1) + minSize(n) × mark × (mmr(n) − mmr(n−1))`. The mark is a common
 * factor, so the table stores the other factors in lots × 10^-8, and computing a maintenance margin
 * takes one multiplication and one division.
 */
export type TierTable = {
  readonly tiers: readonly TierRow[];
  readonly maxLeverage: number;
  /** The end of the last tier: the largest possible position. */
  readonly positionMax: number;
};

type TierRow = MarginTier & {
  /** The sum of minSize(k) × (mmr(k) − mmr(k−1)) up to this tier, in lots × 10^-8. */
  readonly deductionLotsE8: bigint;
  /** The floating-point number nearest to `deductionLotsE8`. */
  readonly deductionNumber: number;
};

export function tierTable(tiers: readonly MarginTier[]): TierTable {
  const rows: TierRow[] = [];
  let deduction = 0n;
  let previousMmr = 0;
  for (const tier of tiers) {
    deduction += BigInt(tier.minSize) * BigInt(tier.mmrE8 - previousMmr);
    previousMmr = tier.mmrE8;
    rows.push({
      ...tier,
      deductionLotsE8: deduction,
      deductionNumber: nearestNumber(deduction),
    });
  }
  const first = rows[0];
  const last = rows.at(-1);
  assert(first !== undefined && last !== undefined, 'a margin table has at least one tier');
  return { tiers: rows, maxLeverage: first.maxLeverage, positionMax: last.maxSize };
}

/** Returns the tier of a size; a size on a border belongs to the lower tier. */
export function tierOf(table: TierTable, size: number): TierRow {
  for (const row of table.tiers) if (size <= row.maxSize) return row;
  const last = table.tiers.at(-1);
  assert(last !== undefined, 'a margin table has at least one tier');
  return last;
}

/** Returns the maintenance margin of a position at a mark, rounded up. */
export function maintenanceMargin(table: TierTable, size: number, mark: number): MicroUsdc {
  if (size === 0) return ZERO_USDC;
  const { deductionLotsE8, mmrE8 } = tierOf(table, size);
  return tieredUp(size, mmrE8, deductionLotsE8, mark);
}

/** Returns the reason a margin table cannot be listed, or undefined if it is valid (R-tiers). */
export function tierTableFault(
  tiers: readonly MarginTier[],
  liquidationFeeE8: number,
  takerFeeE8: number,
): string | undefined {
  if (tiers.length === 0) return 'no tiers';
  let previous: MarginTier | undefined;
  for (const [index, tier] of tiers.entries()) {
    if (tier.tier !== index + 1) return `tier ${index + 1} is numbered ${tier.tier}`;
    if (tier.minSize !== (previous?.maxSize ?? 0)) return `tier ${tier.tier} leaves a gap`;
    if (tier.maxSize <= tier.minSize) return `tier ${tier.tier} is empty`;
    if (tier.maxLeverage < 1) return `tier ${tier.tier} has no leverage`;
    // The first rate must also be above 0, because bankruptcy prices divide equity in proportion to
    // maintenance margin.
    if (tier.mmrE8 <= (previous?.mmrE8 ?? 0)) return 'mmr must rise';
    if (previous !== undefined && tier.maxLeverage >= previous.maxLeverage) {
      return 'maxLeverage must fall';
    }
    // The condition is 1 / maxLeverage > mmr + liquidation fee + taker fee, with the fraction
    // multiplied out.
    const needed = (tier.mmrE8 + liquidationFeeE8 + takerFeeE8) * tier.maxLeverage;
    if (needed >= RATE_ONE) return `tier ${tier.tier} would open positions at liquidation`;
    previous = tier;
  }
  return undefined;
}

export type BandTerms = Pick<PerpDefinition, 'markBandE8' | 'takerFeeE8' | 'tiers'>;

/**
 * Returns the maximum distance of the mark from the oracle, in 10^-8 (R-mark); the default is the
 * widest possible band.
 */
export function markBandE8(terms: BandTerms, liquidationFeeE8: number): number {
  return terms.markBandE8 ?? markBandMaxE8(terms, liquidationFeeE8);
}

/**
 * Returns the widest band in which an order book alone cannot liquidate positions opened inside it,
 * in 10^-8, rounded down. It is the minimum over all tiers of (1/leverage − mmr − liquidation fee −
 * taker fee) / (2 + mmr + liquidation fee + 1/leverage), with numerator and denominator multiplied
 * by the leverage. A valid margin table keeps the numerator above 0 (R-tiers).
 */
export function markBandMaxE8({ takerFeeE8, tiers }: BandTerms, liquidationFeeE8: number): number {
  const one = BigInt(RATE_ONE);
  const bands = tiers.map(({ maxLeverage, mmrE8 }) => {
    const leverage = BigInt(maxLeverage);
    const risk = BigInt(mmrE8 + liquidationFeeE8);
    const spare = one - (risk + BigInt(takerFeeE8)) * leverage;
    return Number(divFloor(spare * one, (2n * one + risk) * leverage + one));
  });
  return Math.max(0, Math.min(...bands));
}

const HOURS = 24;
const HOUR_MS = 3_600_000;

type HourBucket = {
  readonly startMs: number;
  lots: number;
  notional: bigint;
  /** The price of the last trade in the hour. */
  close: number;
};

/**
 * The trading volume over the last 24 hours in hourly buckets, and the price at the start of that
 * window.
 */
export class DayStats {
  #buckets: HourBucket[] = [];
  /** The closing price of the newest bucket that has left the window, or 0 if none has. */
  #previousClose = 0;

  record(timeMs: number, price: number, lots: number, notional: bigint): void {
    const startMs = hourOf(timeMs);
    let bucket = this.#buckets[this.#buckets.length - 1];
    if (bucket === undefined || bucket.startMs !== startMs) {
      this.#evict(startMs);
      bucket = { startMs, lots: 0, notional: 0n, close: price };
      this.#buckets.push(bucket);
    }
    bucket.lots += lots;
    bucket.notional += notional;
    bucket.close = price;
  }

  /**
   * Returns the window's sums at a given time without changing the buckets, which are removed only
   * when a trade is recorded.
   */
  at(timeMs: number): { lots: number; notional: bigint; previousClose: number } {
    const oldest = windowStart(timeMs);
    let lots = 0;
    let notional = 0n;
    let previousClose = this.#previousClose;
    for (const bucket of this.#buckets) {
      if (bucket.startMs < oldest) {
        previousClose = bucket.close;
      } else {
        lots += bucket.lots;
        notional += bucket.notional;
      }
    }
    return { lots, notional, previousClose };
  }

  dump(): { buckets: readonly HourBucket[]; previousClose: number } {
    return { buckets: this.#buckets, previousClose: this.#previousClose };
  }

  restore(buckets: readonly HourBucket[], previousClose: number): void {
    this.#buckets = buckets.map((bucket) => ({ ...bucket }));
    this.#previousClose = previousClose;
  }

  #evict(startMs: number): void {
    const oldest = windowStart(startMs);
    while (this.#buckets[0] !== undefined && this.#buckets[0].startMs < oldest) {
      this.#previousClose = this.#buckets[0].close;
      this.#buckets.shift();
    }
  }
}

/** Returns the start of a window of 24 clock hours that ends with the current one. */
function windowStart(timeMs: number): number {
  return hourOf(timeMs) - (HOURS - 1) * HOUR_MS;
}

function hourOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS) * HOUR_MS;
}

/**
 * Records which perps a block has to check, so that its cost depends on changes, not on the number
 * of listed perps. The inputs to a perp's marks and restrictions change in three ways: through an
 * operator command, with time (which makes marks due and oracles stale), and at the end of a
 * closing hour. A closing hour becomes unable to settle when a stale oracle misses samples, which
 * the operator's next price reveals. A block with one of these changes checks every perp. In any
 * other block, only trades can have changed an input, and the traded perps are recorded here. The
 * record is derived, so it is not dumped; a restored venue's first block checks every perp.
 */
export class PerpWatch {
  /** The perps whose open interest has changed since it was last counted. */
  readonly traded = new Set<Perp>();
  /**
   * The perps that were in a closing hour when a block last checked all perps, by instrument id.
   */
  closing: readonly Perp[] = [];
  /** The open interest of all perps in micro-USDC, at the marks of the last count. */
  interest: MicroUsdc = ZERO_USDC;
  #checksAll = true;
  #nextCheckMs = 0;

  /** True if the current block has to check every perp. */
  get checksAll(): boolean {
    return this.#checksAll;
  }

  begin(timeMs: number, hasOperator: boolean): void {
    this.#checksAll = hasOperator || timeMs >= this.#nextCheckMs;
  }

  /** Sets the time before which the passing of time alone changes nothing. */
  skipUntil(timeMs: number): void {
    this.#nextCheckMs = timeMs;
  }

  /** Makes this block and the next one check every perp, after any other change to the inputs. */
  checkAll(): void {
    this.#checksAll = true;
    this.#nextCheckMs = 0;
  }
}
