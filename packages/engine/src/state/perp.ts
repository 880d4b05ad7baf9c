import { divCeil, divFloor, type MicroUsdc, RATE_ONE, ZERO_USDC } from '@oddlot/units';
import { LevelBook } from '../book/level-book.ts';
import type { OrderPool } from '../book/order-pool.ts';
import type { PerpDefinition } from '../messages/perp-definition.ts';
import { canSettle, type Closing } from './closing.ts';
import { DayStats } from './day-stats.ts';
import type { FundingHour } from './funding-hour.ts';
import { markBandE8 } from './mark-band.ts';
import { type TierTable, tierTable } from './tiers.ts';

/** A listed perpetual: its definition, its book and what moves. */
export type Perp = {
  definition: PerpDefinition;
  tiers: TierTable;
  /** The first tier's. */
  maxLeverage: number;
  /** R-mark, 10^-8. Derived from the definition, see `markBandE8`. */
  markBandE8: number;
  readonly book: LevelBook;
  halted: boolean;
  /** R-delist: set from the operator's word on. */
  closing: Closing | undefined;
  /** Its closing hour is over and every position closed. */
  delisted: boolean;
  /** 0 before the first price, from which trading starts. */
  oracle: number;
  oracleMs: number;
  /** The prices an order may carry while this oracle holds (R-sizes). Derived from the oracle. */
  bandMin: number;
  bandMax: number;
  /** C of R-mark; 0 when nobody feeds it. */
  external: number;
  externalMs: number;
  /** 0 before the first price. */
  mark: number;
  markMs: number;
  /**
   * The mark of the last earlier block in which the market could be judged; 0 before the
   * first. What nobody could judge since then is measured from here.
   */
  judgedMark: number;
  /** EMA of (mid − oracle) in 10^-6 price units (R-ema). */
  ema: number;
  /** The whole second up to which the EMA has run. */
  emaMs: number;
  lastTrade: number;
  lastTradeMs: number;
  /** Lots held long. */
  openInterest: number;
  /** What of `PerpWatch.interest` is this one's. Derived, never dumped. */
  countedInterest: MicroUsdc;
  /** Who has a position here, and the leg of it: see `holdersOf`. Derived, never dumped. */
  readonly holders: Map<number, 0 | 1>;
  readonly day: DayStats;
  /** R-funding: the hour in progress. */
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
    judgedMark: 0,
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

/** Takes a price of the reference markets, and the band that it allows to orders. */
export function setOracle(perp: Perp, oracle: number, observedMs: number, bandE8: number): void {
  perp.oracle = oracle;
  perp.oracleMs = observedMs;
  const one = BigInt(RATE_ONE);
  perp.bandMin = Math.max(1, Number(divCeil(BigInt(oracle) * BigInt(RATE_ONE - bandE8), one)));
  perp.bandMax = Number(divFloor(BigInt(oracle) * BigInt(RATE_ONE + bandE8), one));
}

/** R-oracle-stale. Before the first price an oracle is as good as stale. */
export function isOracleStale(perp: Perp, timeMs: number, staleMs: number): boolean {
  return perp.oracle === 0 || timeMs - perp.oracleMs > staleMs;
}

/**
 * True of a market that nobody can judge: it is halted, a delisted one that waits for a price among
 * them, its oracle is stale, or its closing hour can no longer settle (R-delist). The price that it was
 * settled at is final.
 */
export function isUnjudged(perp: Perp, timeMs: number, staleMs: number): boolean {
  const { closing, delisted, halted } = perp;
  if (delisted) return false;
  if (closing !== undefined && !canSettle(closing)) return true;
  return halted || isOracleStale(perp, timeMs, staleMs);
}

/** The last judged mark; a market that has none yet is as good as its mark. */
export function judgedMarkOf({ judgedMark, mark }: Perp): number {
  return judgedMark === 0 ? mark : judgedMark;
}
