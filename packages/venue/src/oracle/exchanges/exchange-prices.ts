import type { ReferencePrice } from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import { timeMs } from '@oddlot/units';
import type { ReferenceFeed } from '../reference-feed.ts';
import type { ExchangeSource } from './exchange-formats.ts';
import { ExchangeSocket } from './exchange-socket.ts';

export type ExchangePricesOptions = {
  /** The first one is also the market that `spot` is the price of. */
  readonly sources: readonly ExchangeSource[];
  readonly symbols: readonly string[];
  /** Whether anything on the venue is about a symbol: nobody has to hear of the price of another. */
  readonly isNeeded: (symbol: string) => boolean;
  /** Fewer exchanges than these make no oracle price. */
  readonly sourcesMin: number;
  readonly outlierBps: number;
  readonly silentMs: number;
  readonly retryMs?: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn'>;
};

const RETRY_MS = 500;

/**
 * Reference prices of real exchanges. `oracle` is the weighted median of all that agree: nobody moves
 * it alone. `spot` is the middle of the first exchange's book and nothing else, so that it never
 * changes its market half way through a window; it is left out while the others contradict it.
 */
export class ExchangePrices implements ReferenceFeed {
  readonly #options: ExchangePricesOptions;
  readonly #sockets: readonly {
    readonly source: ExchangeSource;
    readonly socket: ExchangeSocket;
  }[];
  readonly #missing = new Set<string>();

  constructor(options: ExchangePricesOptions) {
    const { clock, log, random, retryMs = RETRY_MS, silentMs, sources, symbols } = options;
    this.#options = options;
    this.#sockets = sources.map((source) => ({
      source,
      socket: new ExchangeSocket({ source, symbols, clock, silentMs, retryMs, random, log }),
    }));
  }

  start(): void {
    for (const { socket } of this.#sockets) socket.start();
  }

  stop(): void {
    for (const { socket } of this.#sockets) socket.stop();
  }

  read(nowMs: number): readonly ReferencePrice[] {
    for (const { socket } of this.#sockets) socket.look(nowMs);
    return this.#options.symbols.flatMap((symbol) => this.#pricesOf(symbol, nowMs));
  }

  #pricesOf(symbol: string, nowMs: number): ReferencePrice[] {
    const { outlierBps, sources, sourcesMin } = this.#options;
    const told = this.#sockets.flatMap(({ socket, source: { name, weight } }): SourcePrice[] => {
      const priceE8 = socket.midE8(symbol, nowMs);
      return priceE8 === undefined ? [] : [{ name, weight, priceE8 }];
    });
    const kept = withoutOutliers(told, outlierBps);
    const hasOracle = kept.length >= sourcesMin;
    this.#tell(symbol, hasOracle, kept);
    const at = { symbol, observedMs: timeMs(nowMs) };
    const first = kept.find(({ name }) => name === sources[0]?.name);
    return [
      ...(hasOracle ? [{ ...at, source: 'oracle', priceE8: weightedMedian(kept) } as const] : []),
      ...(first === undefined ? [] : [{ ...at, source: 'spot', priceE8: first.priceE8 } as const]),
    ];
  }

  /** Once when a price is lost that something needs, once when it is back. */
  #tell(symbol: string, hasOracle: boolean, kept: readonly SourcePrice[]): void {
    if (hasOracle !== this.#missing.has(symbol)) return;
    if (!hasOracle && !this.#options.isNeeded(symbol)) return;
    const told = { symbol, exchanges: kept.map(({ name }) => name) };
    if (hasOracle) {
      this.#missing.delete(symbol);
      this.#options.log.info(told, 'reference price available again');
    } else {
      this.#missing.add(symbol);
      this.#options.log.warn(told, 'reference price unavailable: too few exchanges agree');
    }
  }
}

/** What one exchange says about a symbol. */
type SourcePrice = {
  readonly name: string;
  readonly weight: number;
  readonly priceE8: number;
};

const BASIS_POINTS = 10_000;

/**
 * Leaves out whoever is further from the median of the others than the limit, the worst first, since
 * one that is far off moves that median for everybody else. Of the last two that contradict each
 * other neither is believed.
 */
export function withoutOutliers(
  prices: readonly SourcePrice[],
  outlierBps: number,
): readonly SourcePrice[] {
  let kept = prices;
  while (kept.length > 1) {
    const worst = farthest(kept);
    if (worst.distance * BASIS_POINTS <= outlierBps) return kept;
    if (kept.length === 2) return [];
    kept = kept.filter((price) => price !== worst.price);
  }
  return kept;
}

function farthest(prices: readonly SourcePrice[]): { price?: SourcePrice; distance: number } {
  let worst: { price?: SourcePrice; distance: number } = { distance: 0 };
  for (const price of prices) {
    const others = prices
      .filter((other) => other !== price)
      .map((other) => ({ ...other, weight: 1 }));
    const median = weightedMedian(others);
    const distance = Math.abs(price.priceE8 - median) / median;
    if (distance > worst.distance) worst = { price, distance };
  }
  return worst;
}

/**
 * The price with half of the weight on each side; where a border falls on exactly half, the middle of
 * the two prices beside it. Zero of nothing.
 */
export function weightedMedian(prices: readonly SourcePrice[]): number {
  const sorted = prices.toSorted((a, b) => a.priceE8 - b.priceE8);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let passed = 0;
  for (const [index, { priceE8, weight }] of sorted.entries()) {
    passed += weight;
    if (passed > half) return priceE8;
    const next = sorted[index + 1];
    if (passed === half && next !== undefined) return Math.round((priceE8 + next.priceE8) / 2);
  }
  return 0;
}
