import type { PriceSource } from '@oddlot/engine';
import type { Network } from '@oddlot/protocol';
import { SimulatedTraders } from './bots/simulated-traders.ts';
import type { BotVenue } from './bots/trader.ts';
import type { Clock } from './clock.ts';
import { type Config, hasBots, hasExhibition, referencePricesOf } from './config.ts';
import { Exhibition } from './exhibition/exhibition.ts';
import type { Logger } from './operate/log.ts';
import { type PriceSettings, PriceSources } from './oracle/price-sources.ts';
import type { LocalReplica } from './replica/local-replica.ts';

export type LocalActorsParts = Pick<BotVenue, 'exchange'> & {
  readonly replica: LocalReplica;
  readonly network: Network;
  readonly clock: Clock;
  readonly log: Logger;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** The last reference price of the log. */
  readonly latest: (
    symbol: string,
    source: PriceSource,
  ) => { readonly atMs: number; readonly priceE8: number } | undefined;
  readonly onError: (error: unknown) => void;
};

/**
 * What acts on a venue from inside of the process, as far as it is configured: the prices, and where
 * nobody else is there, events and those who trade on them.
 */
export class LocalActors {
  readonly #config: Config;
  readonly #parts: LocalActorsParts;
  readonly #prices: PriceSources;
  readonly #exhibition: Exhibition | undefined;
  #traders: SimulatedTraders | undefined;

  constructor(config: Config, parts: LocalActorsParts) {
    this.#config = config;
    this.#parts = parts;
    const prices = priceSettings(config);
    this.#prices = new PriceSources(prices, parts);
    const hasSeries = prices.reference !== 'none';
    if (hasExhibition(config)) this.#exhibition = new Exhibition({ ...parts, hasSeries });
  }

  /** Resolves when the first prices are in the log; before anything else is. */
  startPrices(): Promise<void> {
    return this.#prices.start();
  }

  /** Resolves when there is something to trade and somebody to trade with. */
  async start(): Promise<void> {
    const { clock, latest } = this.#parts;
    await this.#exhibition?.start();
    if (!hasBots(this.#config)) return;
    this.#traders = await SimulatedTraders.create({
      ...this.#parts,
      now: () => clock.nowMs(),
      priceE8: (symbol, source) => latest(symbol, source)?.priceE8,
    });
    this.#traders.start();
  }

  /** Resolves when nothing of theirs is under way any more. */
  async stop(): Promise<void> {
    await this.#traders?.stop();
    await this.#exhibition?.stop();
    this.#prices.stop();
  }
}

function priceSettings(config: Config): PriceSettings {
  return {
    oracle: config.oracle,
    oracleEveryMs: config.oracleEveryMs,
    reference: referencePricesOf(config),
    referenceSymbols: config.referenceSymbols,
    exchanges: {
      sources: config.exchanges,
      sourcesMin: config.exchangesMin,
      outlierBps: config.exchangeOutlierBps,
      silentMs: config.exchangeSilentMs,
    },
  };
}
