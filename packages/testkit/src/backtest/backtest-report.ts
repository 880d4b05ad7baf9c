import type { Fill } from '@oddlot/sdk';
import { formatDecimal } from '@oddlot/units';

/** The result of a backtest. Amounts are USDC as decimal text. */
export type BacktestReport = {
  readonly market: string;
  readonly seed: string;
  readonly account: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly rows: number;
  readonly startUsdc: string;
  readonly endUsdc: string;
  readonly pnl: string;
  /** Net fees paid to the venue and to builders; positive if paid. */
  readonly fees: string;
  /** Positive if collected. */
  readonly funding: string;
  readonly drawdown: Drawdown;
  /** Oldest first. */
  readonly fills: readonly Fill[];
  readonly fundings: readonly FundingRow[];
  readonly liquidations: readonly Liquidation[];
  /**
   * Outcome markets only: the payout of a YES share, and the amount paid to the account for its
   * shares.
   */
  readonly settlement?: { readonly fraction: string; readonly usdc: string };
  readonly curve: readonly CurvePoint[];
  /** The newest block; the same inputs always give the same hash. */
  readonly head: { readonly height: number; readonly hash: string };
};

/** The largest decline of the account's value from an earlier high. */
export type Drawdown = {
  readonly usdc: string;
  /** As a fraction of the highest value before it. */
  readonly share: number;
  /** The times of the high and of the low. */
  readonly fromMs: number;
  readonly toMs: number;
};

export type CurvePoint = {
  readonly timeMs: number;
  /** The account's value, including open positions and shares at the mark. */
  readonly usdc: string;
  /** The recorded price. */
  readonly price: string;
  /** In coins, negative if short; on outcome markets in YES shares, negative if NO. */
  readonly position: string;
};

export type FundingRow = {
  readonly timeMs: number;
  readonly rate: string;
  readonly usdc: string;
  readonly size: string;
};

export type Liquidation = {
  readonly timeMs: number;
  /** `cancel`, `market`, `net`, `insurance` or `adl`. */
  readonly step: string;
  /** The size before the step. */
  readonly size: string;
  readonly notional: string;
  readonly accountValue: string;
  readonly mark: string;
};

const USDC_DECIMALS = 6;
/** The maximum number of points; beyond it every second point is removed. */
const POINTS_MAX = 10_000;

type Value = { readonly timeMs: number; readonly microUsdc: bigint };

/**
 * The value of an account over time. All changes count for the drawdown; only a sample is kept for
 * the curve.
 */
export class ValueCurve {
  #points: CurvePoint[] = [];
  #every = 1;
  #told = 0;
  #peak: Value | undefined;
  #deepest: { readonly from: Value; readonly to: Value } | undefined;

  look(value: Value): void {
    if (this.#peak === undefined || value.microUsdc > this.#peak.microUsdc) this.#peak = value;
    const fall = this.#peak.microUsdc - value.microUsdc;
    const deepest = this.#deepest;
    if (deepest === undefined || fall > deepest.from.microUsdc - deepest.to.microUsdc) {
      this.#deepest = { from: this.#peak, to: value };
    }
  }

  keep(point: CurvePoint): void {
    if (this.#told % this.#every === 0) this.#points.push(point);
    this.#told += 1;
    if (this.#points.length < POINTS_MAX) return;
    this.#points = this.#points.filter((_, at) => at % 2 === 0);
    this.#every *= 2;
  }

  get points(): readonly CurvePoint[] {
    return this.#points;
  }

  get drawdown(): Drawdown {
    const { from, to } = this.#deepest!;
    const fall = from.microUsdc - to.microUsdc;
    return {
      usdc: formatDecimal(fall, USDC_DECIMALS),
      share: from.microUsdc > 0n ? Number((fall * 1_000_000n) / from.microUsdc) / 1_000_000 : 0,
      fromMs: from.timeMs,
      toMs: to.timeMs,
    };
  }
}
