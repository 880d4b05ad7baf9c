import type { PushPriceCommand } from '@oddlot/engine';
import type { Clock } from '../clock.ts';
import type { Logger } from '../operate/log.ts';
import type { Replica } from '../replica/replica.ts';
import { ExchangePrices, type ExchangePricesOptions } from './exchanges/exchange-prices.ts';
import { feedOracle, type PerpOracle, simulatedOracle } from './perp-oracle.ts';
import { Publisher } from './publisher.ts';
import type { ReferenceFeed } from './reference-feed.ts';
import { SimulatedPrices, type SimulatedPricesOptions } from './simulated-prices.ts';

/** Where prices come from: a random walk, the same ones for ever, or those of real exchanges. */
export type PriceKind = 'simulated' | 'still' | 'exchanges';

/** What is told, and how often. */
export type PriceSettings = {
  readonly oracle: PriceKind;
  readonly oracleEveryMs: number;
  readonly reference: PriceKind | 'none';
  readonly referenceSymbols: readonly string[];
  /** Opened only where a kind above names them. */
  readonly exchanges: Pick<
    ExchangePricesOptions,
    'sources' | 'sourcesMin' | 'outlierBps' | 'silentMs'
  >;
};

export type PriceSourcesOptions = Pick<SimulatedPricesOptions, 'latest' | 'random'> & {
  readonly replica: Replica;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onError: (error: unknown) => void;
};

/** Reference prices are told this often. */
const REFERENCE_EVERY_MS = 1_000;

/** The prices that the process itself brings into the log: of perps, and of what outcome markets are about. */
export class PriceSources {
  readonly #feeds = new Set<ReferenceFeed>();
  readonly #publishers: readonly Publisher[];

  constructor(settings: PriceSettings, options: PriceSourcesOptions) {
    const { clock, onError, random, replica } = options;
    const exchanges = new ExchangePrices({
      ...options,
      ...settings.exchanges,
      symbols: settings.referenceSymbols,
    });
    const shared = { replica, clock, onError };
    const oracle = this.#oracleOf(settings, exchanges, random);
    const reference = this.#referenceOf(settings, exchanges, options);
    const perps = new Publisher({
      ...shared,
      everyMs: settings.oracleEveryMs,
      report: (nowMs) => oracle(replica.state, nowMs),
    });
    if (reference === undefined) {
      this.#publishers = [perps];
      return;
    }
    this.#feeds.add(reference);
    const underlyings = new Publisher({
      ...shared,
      everyMs: REFERENCE_EVERY_MS,
      report: (nowMs) => pushPrice(reference, nowMs),
    });
    this.#publishers = [perps, underlyings];
  }

  /** Resolves when the first prices are in the log. */
  async start(): Promise<void> {
    for (const feed of this.#feeds) feed.start();
    await Promise.all(this.#publishers.map((publisher) => publisher.start()));
  }

  stop(): void {
    for (const publisher of this.#publishers) publisher.stop();
    for (const feed of this.#feeds) feed.stop();
  }

  #oracleOf({ oracle }: PriceSettings, exchanges: ReferenceFeed, random: () => number): PerpOracle {
    if (oracle !== 'exchanges') return simulatedOracle({ moves: oracle === 'simulated', random });
    this.#feeds.add(exchanges);
    return feedOracle(exchanges);
  }

  #referenceOf(
    { reference, referenceSymbols }: PriceSettings,
    exchanges: ReferenceFeed,
    { latest, random, replica }: PriceSourcesOptions,
  ): ReferenceFeed | undefined {
    if (reference === 'none') return undefined;
    if (reference === 'exchanges') return exchanges;
    return new SimulatedPrices({
      symbols: referenceSymbols,
      moves: reference === 'simulated',
      state: () => replica.state,
      latest,
      random,
    });
  }
}

function pushPrice(feed: ReferenceFeed, nowMs: number): PushPriceCommand | undefined {
  const prices = feed.read(nowMs);
  return prices.length === 0 ? undefined : { type: 'pushPrice', prices };
}
