import { formatDecimal } from '@oddlot/units';
import type { CurvePoint, Drawdown } from './backtest-report.ts';

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
