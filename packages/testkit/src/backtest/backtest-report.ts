import type { Fill } from '@oddlot/sdk';
import { formatDecimal } from '@oddlot/units';

/** The result of a backtest. Amounts are in USDC, as decimal text. */
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
  /** Net fees paid to the venue and to builders. Negative if rebates exceed the fees. */
  readonly fees: string;
  /** Net funding. Positive if the account received more than it paid. */
  readonly funding: string;
  readonly drawdown: Drawdown;
  /** All fills of the account, oldest first. */
  readonly fills: readonly Fill[];
  readonly fundings: readonly FundingRow[];
  readonly liquidations: readonly Liquidation[];
  /**
   * The payout of a YES share, and the amount paid out for the account's shares. Defined only for
   * outcome markets.
   */
  readonly settlement?: { readonly fraction: string; readonly usdc: string };
  readonly curve: readonly CurvePoint[];
  /** The newest block. The same inputs always produce the same hash. */
  readonly head: { readonly height: number; readonly hash: string };
};

/** The largest decline in the account's value from an earlier high. */
export type Drawdown = {
  readonly usdc: string;
  /** The decline as a fraction of the high. */
  readonly share: number;
  /** The times of the high and of the low. */
  readonly fromMs: number;
  readonly toMs: number;
};

export type CurvePoint = {
  readonly timeMs: number;
  /** The account's value, including open positions and shares at the mark price. */
  readonly usdc: string;
  /** The recorded price. */
  readonly price: string;
  /**
   * The position in coins, negative if short. On outcome markets, it is in YES shares, negative for
   * NO.
   */
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
  /** The kind of the step: `cancel`, `market`, `net`, `insurance` or `adl`. */
  readonly step: string;
  /** The size of the position before the step. */
  readonly size: string;
  readonly notional: string;
  readonly accountValue: string;
  readonly mark: string;
};

const USDC_DECIMALS = 6;
/** The maximum number of points. When it is exceeded, every second point is removed. */
const POINTS_MAX = 10_000;

type Value = { readonly timeMs: number; readonly microUsdc: bigint };

/**
 * The value of an account over time. The drawdown is computed from all changes, but the curve keeps
 * only a sample of them.
 */
export class ValueCurve {
  #points: CurvePoint[] = [];
  #every = 1;
  #count = 0;
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
    if (this.#count % this.#every === 0) this.#points.push(point);
    this.#count += 1;
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
