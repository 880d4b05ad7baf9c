import { type OraclePrice, perpDefinitions, perpView } from '@oddlot/engine';
import { present, timeMs } from '@oddlot/units';
import type { Clock } from '../clock.ts';
import type { Replica } from '../replica/replica.ts';

/** Where the simulated markets start, in USDC. */
const START_USDC: Readonly<Record<string, number>> = { BTC: 97_000, ETH: 3_400, SOL: 180 };
/** A perp that nobody gave a start. */
const START_DEFAULT_USDC = 100;
/** Standard deviation of one step, relative: about 3% over a day of seconds. */
const STEP_DEVIATION = 0.0001;
/** How strongly a price is drawn back to where it started, a step. */
const REVERSION = 0.00002;

export type SimulatedFeedOptions = {
  readonly replica: Replica;
  readonly clock: Clock;
  readonly everyMs: number;
  /** `still` repeats the first prices: the same venue every time, for tests. */
  readonly moves: boolean;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
};

/**
 * Reference prices for a venue without real ones: a mean-reverting random walk per perp, pushed as
 * commands like any other. A restart goes on from the last prices of the log, so that nothing jumps.
 */
export class SimulatedFeed {
  readonly #options: SimulatedFeedOptions;
  #timer: NodeJS.Timeout | undefined;
  #isPushing = false;

  constructor(options: SimulatedFeedOptions) {
    this.#options = options;
  }

  /** Pushes the first prices, then one round every interval. */
  async start(): Promise<void> {
    await this.#push();
    this.#timer = setInterval(() => {
      this.#push().catch(this.#options.onError);
    }, this.#options.everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #push(): Promise<void> {
    if (this.#isPushing) return;
    this.#isPushing = true;
    try {
      const { clock, replica } = this.#options;
      const prices = perpDefinitions(replica.state).map((perp): OraclePrice => {
        const start = startPrice(perp.baseCurrency, perp.szDecimals);
        const view = present(perpView(replica.state, perp.instrumentId), 'a listed perp');
        const last = view.oracle ?? start;
        const oracle = this.#options.moves ? this.#step(last, start) : last;
        return { instrumentId: perp.instrumentId, oracle };
      });
      const observedMs = timeMs(clock.nowMs());
      await replica.propose({ type: 'pushOracle', prices, observedMs });
    } finally {
      this.#isPushing = false;
    }
  }

  /** Floating point is fine here: what the log records is the rounded result. */
  #step(last: number, start: number): number {
    const { random } = this.#options;
    // The sum of twelve uniform numbers is close to normal, with a deviation of one.
    let normal = -6;
    for (let i = 0; i < 12; i++) normal += random();
    const drift = REVERSION * (start / last - 1);
    return Math.max(1, Math.round(last * (1 + drift + STEP_DEVIATION * normal)));
  }
}

function startPrice(base: string, szDecimals: number): number {
  return Math.round((START_USDC[base] ?? START_DEFAULT_USDC) * 10 ** (6 - szDecimals));
}
