import {
  type Command,
  perpDefinitions,
  perpView,
  type PushPriceCommand,
  type State,
} from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import type { Replica } from '@oddlot/replica/replica';
import { ExchangePrices, type ExchangePricesOptions } from './exchanges/exchange-prices.ts';
import {
  feedOracle,
  type PerpOracle,
  PushedPrices,
  type PushedPricesOptions,
  simulatedOracle,
} from './perp-oracle.ts';
import type { ReferenceFeed } from './reference-feed.ts';
import { SimulatedPrices, type SimulatedPricesOptions } from './simulated-prices.ts';

/** The kinds of prices: a random walk, constant prices, or prices from real exchanges. */
type PriceKind = 'simulated' | 'still' | 'exchanges';

export type PriceSettings = {
  readonly oracle: PriceKind;
  readonly oracleEveryMs: number;
  readonly reference: PriceKind | 'none';
  readonly referenceSymbols: readonly string[];
  /** Used only if one of the kinds above is `exchanges`. */
  readonly exchanges: Pick<
    ExchangePricesOptions,
    'sources' | 'sourcesMin' | 'outlierBps' | 'silentMs'
  >;
};

type PriceSourcesOptions = Pick<SimulatedPricesOptions, 'latest' | 'random'> & {
  readonly underWay: PushedPricesOptions['underWay'];
  readonly replica: Replica;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onError: (error: unknown) => void;
};

type Simulating = PriceSourcesOptions & { readonly pushed: PushedPrices };

const REFERENCE_EVERY_MS = 1_000;

/** Proposes prices to the log: oracle prices of perps, and reference prices of outcome markets. */
export class PriceSources {
  readonly #feeds = new Set<ReferenceFeed>();
  readonly #publishers: readonly Publisher[];

  constructor(settings: PriceSettings, options: PriceSourcesOptions) {
    const { clock, onError, replica } = options;
    const pushed = new PushedPrices(options);
    const exchanges = new ExchangePrices({
      ...options,
      ...settings.exchanges,
      symbols: settings.referenceSymbols,
      isNeeded: (symbol) => isTraded(replica.state, symbol),
    });
    const shared = { replica, clock, onError };
    const oracle = this.#oracleOf(settings, exchanges, { ...options, pushed });
    const reference = this.#referenceOf(settings, exchanges, { ...options, pushed });
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

  #oracleOf({ oracle }: PriceSettings, exchanges: ReferenceFeed, parts: Simulating): PerpOracle {
    if (oracle !== 'exchanges') return simulatedOracle({ ...parts, moves: oracle === 'simulated' });
    this.#feeds.add(exchanges);
    return feedOracle(exchanges);
  }

  #referenceOf(
    { reference, referenceSymbols }: PriceSettings,
    exchanges: ReferenceFeed,
    { latest, pushed, random, replica }: Simulating,
  ): ReferenceFeed | undefined {
    if (reference === 'none') return undefined;
    if (reference === 'exchanges') return exchanges;
    return new SimulatedPrices({
      symbols: referenceSymbols,
      moves: reference === 'simulated',
      state: () => replica.state,
      pushed,
      latest,
      random,
    });
  }
}

/** Returns true if a listed perp or a series is based on the symbol. */
function isTraded(state: State, symbol: string): boolean {
  return (
    perpDefinitions(state).some(
      ({ baseCurrency, instrumentId }) =>
        baseCurrency === symbol && perpView(state, instrumentId)?.delisted === false,
    ) || [...state.outcomes.series.values()].some(({ listing }) => listing.symbol === symbol)
  );
}

function pushPrice(feed: ReferenceFeed, nowMs: number): PushPriceCommand | undefined {
  const prices = feed.read(nowMs);
  return prices.length === 0 ? undefined : { type: 'pushPrice', prices };
}

type PublisherOptions = {
  readonly replica: Replica;
  readonly clock: Clock;
  readonly everyMs: number;
  /** Returns the command that is due, or undefined if there is none. */
  readonly report: (nowMs: number) => Command | undefined;
  readonly onError: (error: unknown) => void;
};

/** Proposes prices as commands from the venue itself, one after another. */
export class Publisher {
  readonly #options: PublisherOptions;
  #timer: NodeJS.Timeout | undefined;
  #isReporting = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Reports immediately and then once per interval, even if the first report fails. */
  async start(): Promise<void> {
    await this.#report().catch(this.#options.onError);
    this.#timer = setInterval(() => {
      this.#report().catch(this.#options.onError);
    }, this.#options.everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #report(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    try {
      const { clock, replica, report } = this.#options;
      const command = report(clock.nowMs());
      if (command !== undefined) await replica.propose(command);
    } finally {
      this.#isReporting = false;
    }
  }
}
