import type { Fill } from '@oddlot/sdk';
import { formatDecimal } from '@oddlot/units';

/** What came of a bot. Amounts are USDC as decimal text. */
export type BacktestReport = {
  /** The name of the market. */
  readonly market: string;
  readonly seed: string;
  readonly account: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Rows of the recording. */
  readonly rows: number;
  readonly startUsdc: string;
  readonly endUsdc: string;
  readonly pnl: string;
  /** Paid to the venue and to builders; above zero is paid. */
  readonly fees: string;
  /** Above zero is collected. */
  readonly funding: string;
  readonly drawdown: Drawdown;
  /** Oldest first. */
  readonly fills: readonly Fill[];
  readonly fundings: readonly FundingRow[];
  readonly liquidations: readonly Liquidation[];
  /** Of an outcome market: what a YES share paid, and what the account was paid for its shares. */
  readonly settlement?: { readonly fraction: string; readonly usdc: string };
  readonly curve: readonly CurvePoint[];
  /** The newest block: the same inputs end in the same one. */
  readonly head: { readonly height: number; readonly hash: string };
};

/** The deepest fall of the account's value below what it had been. */
export type Drawdown = {
  readonly usdc: string;
  /** As a part of the highest value before it. */
  readonly share: number;
  /** When it was highest, and when lowest. */
  readonly fromMs: number;
  readonly toMs: number;
};

export type CurvePoint = {
  readonly timeMs: number;
  /** The account's value, open positions and shares at the mark included. */
  readonly usdc: string;
  /** Of the recording. */
  readonly price: string;
  /** In coins, negative is short; in shares of YES, negative is NO. */
  readonly position: string;
};

export type FundingRow = {
  readonly timeMs: number;
  readonly rate: string;
  readonly usdc: string;
  readonly size: string;
};

/** One step of a liquidation. */
export type Liquidation = {
  readonly timeMs: number;
  /** `cancel`, `market`, `net`, `insurance` or `adl`. */
  readonly step: string;
  /** Before the step. */
  readonly size: string;
  readonly notional: string;
  readonly accountValue: string;
  readonly mark: string;
};

const USDC_DECIMALS = 6;
/** Points of a curve; when there are more every second one is left out. */
const POINTS_MAX = 10_000;

type Value = { readonly timeMs: number; readonly microUsdc: bigint };

/** The value of an account over time: every move counts for the drawdown, and some are kept for the curve. */
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
