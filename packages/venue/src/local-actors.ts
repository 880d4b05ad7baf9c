import type { PriceSource } from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import type { Network } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import type { SimulatedTraders } from './bots/simulated-traders.ts';
import type { BotVenue } from './bots/trader.ts';
import { type Config, hasBots, hasExhibition, referencePricesOf } from './config.ts';
import { Exhibition, exhibitionSecret } from './exhibition/exhibition.ts';
import { FairPaths } from './exhibition/fair-paths.ts';
import type { Held, Lease } from '@oddlot/replica/lease';
import { type PriceSettings, PriceSources } from './oracle/price-sources.ts';
import { HolderReplica } from '@oddlot/replica/replica';
import type { LocalReplica } from '@oddlot/replica/local-replica';

type LocalActorsParts = Pick<BotVenue, 'exchange'> & {
  readonly replica: LocalReplica;
  /** Ensures that each actor runs only once per venue. */
  readonly lease: Lease;
  readonly network: Network;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns a uniformly distributed number in [0, 1). */
  readonly random: () => number;
  /** Returns the last reference price in the log. */
  readonly latest: (
    symbol: string,
    source: PriceSource,
  ) => { readonly atMs: number; readonly priceE8: number } | undefined;
  readonly descriptionOf: (instrumentId: number) => string | undefined;
  readonly onError: (error: unknown) => void;
};

/** The notes on simulated prices in the texts of series markets. */
const SERIES_NOTES: Readonly<Record<PriceSettings['reference'], string | undefined>> = {
  simulated: 'The prices are simulated by this venue and are not those of a real market.',
  still: 'The prices of this venue do not change and are not those of a real market.',
  exchanges: undefined,
  none: undefined,
};

type LocalActor = { start(): Promise<void>; stop(): void | Promise<void> | undefined };

/** An actor's name, and the replica through which it proposes commands while holding its lease. */
type Holding = { readonly name: string; readonly holder: HolderReplica };

const holding = (name: string, replica: LocalReplica): Holding => {
  return { name, holder: new HolderReplica(replica, name) };
};

/**
 * Runs the configured actors of this process: price sources, demo events, and simulated traders.
 */
export class LocalActors {
  readonly #config: Config;
  readonly #parts: LocalActorsParts;
  readonly #oracle: Holding;
  readonly #events: Holding;
  readonly #traders: Holding;
  readonly #prices: PriceSources;
  /** Defined only if demo events or simulated traders are configured. */
  readonly #paths: FairPaths | undefined;
  readonly #exhibition: Exhibition | undefined;
  /** The actors in the order they were started. They are stopped in reverse order. */
  readonly #held: Held[] = [];

  constructor(config: Config, parts: LocalActorsParts) {
    this.#config = config;
    this.#parts = parts;
    this.#oracle = holding('oracle', parts.replica);
    this.#events = holding('exhibition', parts.replica);
    this.#traders = holding('simulated traders', parts.replica);
    const prices = priceSettings(config);
    this.#prices = new PriceSources(prices, {
      ...parts,
      replica: this.#oracle.holder,
      underWay: () => parts.replica.underWay(),
    });
    const hasSeries = prices.reference !== 'none';
    if (hasBots(config) || hasExhibition(config)) {
      this.#paths = new FairPaths(exhibitionSecret(config.data));
    }
    if (hasExhibition(config)) {
      const paths = present(this.#paths, 'the paths of an exhibition');
      this.#exhibition = new Exhibition({
        ...parts,
        replica: this.#events.holder,
        paths,
        hasSeries,
        seriesNote: SERIES_NOTES[prices.reference],
      });
    }
  }

  /** Resolves when the first prices are in the log, before any other actor starts. */
  startPrices(): Promise<void> {
    return this.#hold(this.#oracle, this.#prices);
  }

  /** Resolves when, as configured, markets are listed and simulated traders are running. */
  async start(): Promise<void> {
    if (this.#exhibition !== undefined) await this.#hold(this.#events, this.#exhibition);
    if (!hasBots(this.#config)) return;
    let traders: SimulatedTraders | undefined;
    await this.#hold(this.#traders, {
      start: async () => {
        traders = await this.#createTraders();
        traders.start();
      },
      stop: () => traders?.stop(),
    });
  }

  /** Resolves when none of the actors' commands is pending. */
  async stop(): Promise<void> {
    for (const held of this.#held.splice(0).reverse()) await held.release();
  }

  async #hold({ holder, name }: Holding, actor: LocalActor): Promise<void> {
    const { lease } = this.#parts;
    this.#held.push(
      await lease.hold(
        name,
        (term) => {
          holder.enter(term);
          return actor.start();
        },
        () => actor.stop(),
      ),
    );
  }

  async #createTraders(): Promise<SimulatedTraders> {
    const { clock, latest } = this.#parts;
    const program = await import('./bots/simulated-traders.ts');
    return program.SimulatedTraders.create({
      ...this.#parts,
      replica: this.#traders.holder,
      now: () => clock.nowMs(),
      paths: present(this.#paths, 'the paths that traders follow'),
      priceE8: (symbol, source) => latest(symbol, source)?.priceE8,
    });
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
