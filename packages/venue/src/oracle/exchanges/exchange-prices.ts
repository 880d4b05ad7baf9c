import type { ReferencePrice } from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import { timeMs } from '@oddlot/units';
import type { ReferenceFeed } from '../reference-feed.ts';
import { type SourcePrice, weightedMedian, withoutOutliers } from './combine-quotes.ts';
import type { ExchangeSource } from './exchange-setting.ts';
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
