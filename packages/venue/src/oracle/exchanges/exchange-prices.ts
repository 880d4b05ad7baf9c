import type { ReferencePrice } from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import { timeMs } from '@oddlot/units';
import type { ReferenceFeed } from '../reference-feed.ts';
import type { ExchangeSource } from './exchange-formats.ts';
import { ExchangeSocket } from './exchange-socket.ts';

export type ExchangePricesOptions = {
  /** The first source provides the `spot` price. */
  readonly sources: readonly ExchangeSource[];
  readonly symbols: readonly string[];
  /**
   * Returns true if a market uses the symbol. Missing prices for other symbols are not reported.
   */
  readonly isNeeded: (symbol: string) => boolean;
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
 * Computes reference prices from real exchanges. The `oracle` price is the weighted median of all
 * exchanges that agree, so that no single exchange can move it. The `spot` price is the mid price
 * of the first exchange only, so that its source never changes within a window. It is omitted while
 * it disagrees with the other exchanges.
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
    const quoted = this.#sockets.flatMap(({ socket, source: { name, weight } }): SourcePrice[] => {
      const priceE8 = socket.midE8(symbol, nowMs);
      return priceE8 === undefined ? [] : [{ name, weight, priceE8 }];
    });
    const agreeing = withoutOutliers(quoted, outlierBps);
    const hasOracle = agreeing.length >= sourcesMin;
    this.#report(symbol, hasOracle, agreeing);
    const at = { symbol, observedMs: timeMs(nowMs) };
    const first = agreeing.find(({ name }) => name === sources[0]?.name);
    return [
      ...(hasOracle
        ? [{ ...at, source: 'oracle', priceE8: weightedMedian(agreeing) } as const]
        : []),
      ...(first === undefined ? [] : [{ ...at, source: 'spot', priceE8: first.priceE8 } as const]),
    ];
  }

  /** Logs once when a needed price is lost and once when it is available again. */
  #report(symbol: string, hasOracle: boolean, agreeing: readonly SourcePrice[]): void {
    if (hasOracle !== this.#missing.has(symbol)) return;
    if (!hasOracle && !this.#options.isNeeded(symbol)) return;
    const fields = { symbol, exchanges: agreeing.map(({ name }) => name) };
    if (hasOracle) {
      this.#missing.delete(symbol);
      this.#options.log.info(fields, 'reference price available again');
    } else {
      this.#missing.add(symbol);
      this.#options.log.warn(fields, 'reference price unavailable: too few exchanges agree');
    }
  }
}

type SourcePrice = {
  readonly name: string;
  readonly weight: number;
  readonly priceE8: number;
};

const BASIS_POINTS = 10_000;

/**
 * Excludes prices that are further from the median of the others than the limit, starting with the
 * most distant, because an extreme price shifts the median for all others. If the last two
 * disagree, both are excluded.
 */
export function withoutOutliers(
  prices: readonly SourcePrice[],
  outlierBps: number,
): readonly SourcePrice[] {
  let agreeing = prices;
  while (agreeing.length > 1) {
    const worst = farthest(agreeing);
    if (worst.distance * BASIS_POINTS <= outlierBps) return agreeing;
    if (agreeing.length === 2) return [];
    agreeing = agreeing.filter((price) => price !== worst.price);
  }
  return agreeing;
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
 * Returns the price at which half of the weight is reached. If half is reached exactly at a price,
 * the result is the mean of that price and the next. Returns 0 for an empty list.
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
