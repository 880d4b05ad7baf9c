import { type PerpDefinition, settledMarketView, type State } from '@oddlot/engine';
import {
  type InfoQueryOf,
  type InfoType,
  type Network,
  refusal,
  type Warning,
  type WireError,
} from '@oddlot/protocol';
import type { MarketData } from '../read-models/market-data.ts';
import type { CursorSeal } from '../cursor-seal.ts';
import type { EndedLookup } from '../outcome/ended-order.ts';
import type { CandleRow, MissingRows } from '../read-models/candles.ts';
import type { EventWithMarkets, MarketRecord } from '../read-models/outcome-catalogue.ts';
import type { Place } from '../read-models/listed-event-index.ts';

export type InfoContext = {
  readonly state: State;
  readonly network: Network;
  readonly settings: InfoSettings;
  readonly markets: MarketData;
  /** Finds the final state of orders that the engine no longer stores. */
  readonly ended?: EndedLookup;
  /** Seals the venue's cursors. By default, they become invalid when the process ends. */
  readonly cursors?: CursorSeal | undefined;
  /** The history loaded for this query if the data in memory is not sufficient. */
  readonly past?: Past;
};

/** The deployment's settings, which are not part of the state. */
export type InfoSettings = {
  readonly bridgeContractAddress: string;
  readonly usdcContractAddress: string;
  readonly settlementChainId: number;
  /** The RPC endpoint that wallets use. */
  readonly settlementRpcUrl?: string | undefined;
  /** The URL of the venue's relay; undefined if the venue has none. */
  readonly relayUrl?: string | undefined;
  /** The venue's name as a source or destination chain in the relay API. */
  readonly chainName: string;
  /** The amount of one faucet payout in USDC; undefined if the venue has no faucet. */
  readonly faucetUsdc?: number | undefined;
  /** True if bots provide the liquidity; false by default. */
  readonly hasBots?: boolean;
  /** The accounts of the bots; empty by default. */
  readonly botAccounts?: readonly string[];
  /**
   * Returns the simulated prices from before the venue's start, oldest first; undefined if prices
   * are not simulated.
   */
  readonly simulatedPast?:
    | ((
        symbol: string,
        beganMs: number,
      ) => readonly { readonly atMs: number; readonly priceE8: number }[])
    | undefined;
  /** True if the leaderboard lists accounts, which is the default. */
  readonly hasLeaderboard?: boolean;
  /** False if no settlement chain is configured; true by default. */
  readonly hasChain?: boolean;
  readonly replicas?: ReplicaList | undefined;
};

export type InfoAnswer<Data = unknown> =
  | {
      readonly ok: true;
      readonly data: Data;
      readonly warnings?: readonly Warning[];
      /** The cursor of the next page of a paged query, returned next to `data`. */
      readonly nextCursor?: string | null;
    }
  | { readonly ok: false; readonly error: WireError };

/** Answers one type of query from the state, synchronously. */
export type InfoHandler<Type extends InfoType, Data = unknown> = (
  context: InfoContext,
  query: InfoQueryOf<Type>,
) => InfoAnswer<Data>;

/**
 * Returns the history that a query needs, or undefined if memory and the loaded history are
 * sufficient.
 */
export type PastNeeds<Type extends InfoType> = (
  context: InfoContext,
  query: InfoQueryOf<Type>,
) => PastNeed | undefined;

export type StateHandler<Type extends InfoType> = {
  readonly answer: InfoHandler<Type>;
  readonly needs?: PastNeeds<Type>;
  /**
   * Set for queries that many clients send regularly or on startup, and for which the state alone
   * is sufficient.
   */
  readonly isCommon?: true;
};

export type StateQueries = { readonly [Type in InfoType]?: StateHandler<Type> };

export function answer<Data>(data: Data): InfoAnswer<Data> {
  return { ok: true, data };
}

/** Finds a listed perp by its id as a string, or returns a refusal. */
export function perpOf(
  state: State,
  coin: string,
): { readonly ok: true; readonly perp: PerpDefinition } | { ok: false; error: WireError } {
  const perp = findPerp(state, Number.parseInt(coin, 10));
  if (perp !== undefined) return { ok: true, perp };
  return { ok: false, error: refusal('instrumentNotFound', [], { field: 'coin', got: coin }) };
}

export function instrumentNotFound(field: string, got: string | number): InfoAnswer<never> {
  return { ok: false, error: refusal('instrumentNotFound', [], { field, got }) };
}

export const OUTCOME_CHANNEL = 1;

export function findPerp(state: State, instrumentId: number): PerpDefinition | undefined {
  return state.perps.get(instrumentId)?.definition;
}

/** Lists the replicas that clients can reach, including this one, each with its height. */
export type ReplicaList = () => readonly {
  readonly replica: string;
  readonly url: string;
  readonly height: number;
}[];

/**
 * The data of settled events that a query needs and that is no longer in memory. The query first
 * returns its needs. The API server then loads the data from the history database and uses it to
 * answer the query. All fields that are present are needed.
 */
export type PastNeed = {
  readonly slugs?: readonly string[];
  readonly list?: PastList;
  readonly bars?: readonly PastBars[];
};

/** Part of a sorted list of settled events, starting after `after`. */
export type PastList = {
  readonly sortBy: 'volume' | 'newest' | 'endingSoon' | 'start' | 'zero';
  readonly descending: boolean;
  readonly tag: string | undefined;
  readonly seriesSlug?: string;
  readonly after: Place | undefined;
  readonly limit: number;
  readonly settledBeforeMs: number;
};

/** The candle rows of an instrument, and the last row before them. */
export type PastBars = MissingRows & { readonly instrumentId: number };

/** The data returned by the history database for a need. */
export type Past = {
  /** The events by slug; null if the event is not in the history database. */
  readonly events: Map<string, EventWithMarkets | null>;
  list?: {
    readonly events: readonly EventWithMarkets[];
    /** True if no events follow the last one in the list. */
    readonly isEnd: boolean;
  };
  readonly bars: Map<number, PastRows>;
};

/** The candle rows of a period, preceded by the last row before it, if one exists. */
export type PastRows = { readonly stepMs: number; readonly rows: readonly CandleRow[] };

export function emptyPast(): Past {
  return { events: new Map(), bars: new Map() };
}

/**
 * How soon an event may leave memory while a query is waiting. Events that will leave within this
 * time are also requested from the history database.
 */
const LEAVING_MS = 60_000;

export function settledBeforeMs({ markets, state }: InfoContext): number {
  return state.timeMs - markets.catalogue.retentionMs + LEAVING_MS;
}

/** Finds an event by its slug in memory or in the loaded history. */
export function eventIn(
  { markets, past }: InfoContext,
  slug: string,
): EventWithMarkets | undefined {
  const event = markets.catalogue.listedEvent(slug);
  if (event !== undefined) return { event, markets: markets.catalogue.marketsOf(event) };
  return past?.events.get(slug) ?? undefined;
}

/** Finds a market by its id in memory or in the loaded history. */
export function marketIn(context: InfoContext, instrumentId: number): MarketRecord | undefined {
  const { markets, past, state } = context;
  const record = markets.catalogue.market(instrumentId);
  if (record !== undefined) return record;
  const slug = settledMarketView(state, instrumentId)?.eventSlug;
  const event = slug === undefined ? undefined : past?.events.get(slug);
  return event?.markets.find((market) => market.instrumentId === instrumentId);
}

/**
 * Returns the listed events that are neither in memory nor loaded yet. The engine has the slugs of
 * all events, so unknown slugs are not requested.
 */
export function eventsNeeded(context: InfoContext, slugs: readonly string[]): PastNeed | undefined {
  const { markets, past, state } = context;
  const needed = slugs.filter(
    (slug) =>
      state.outcomes.events.has(slug) &&
      markets.catalogue.listedEvent(slug) === undefined &&
      past?.events.has(slug) !== true,
  );
  return needed.length === 0 ? undefined : { slugs: [...new Set(needed)] };
}

/**
 * Returns the need for the given markets' events, or undefined if all of them are in memory or
 * loaded.
 */
export function marketsNeeded(
  context: InfoContext,
  instrumentIds: readonly number[],
): PastNeed | undefined {
  const slugs = instrumentIds.map((id) => settledMarketView(context.state, id)?.eventSlug);
  return eventsNeeded(
    context,
    slugs.filter((slug) => slug !== undefined),
  );
}
