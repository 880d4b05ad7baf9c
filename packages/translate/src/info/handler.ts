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

/** The data that a query may read. */
export type InfoContext = {
  readonly state: State;
  readonly network: Network;
  readonly settings: InfoSettings;
  readonly markets: MarketData;
  /** The final states of orders that the engine no longer stores. */
  readonly ended?: EndedLookup;
  /** Seals the venue's cursors; by default they become invalid when the process ends. */
  readonly cursors?: CursorSeal | undefined;
  /** The history's answer for this query, if it needs more than memory has. */
  readonly past?: Past;
};

/** Facts about the deployment that are not in the state. */
export type InfoSettings = {
  readonly bridgeContractAddress: string;
  readonly usdcContractAddress: string;
  readonly settlementChainId: number;
  /** The RPC endpoint for wallets. */
  readonly settlementRpcUrl?: string | undefined;
  /** The relay's URL; undefined without a relay. */
  readonly relayUrl?: string | undefined;
  /** The relay's name of the source chain. */
  readonly chainName: string;
  /** The amount per grant; undefined without a faucet. */
  readonly faucetUsdc?: number | undefined;
  /** Bots provide the liquidity; false by default. */
  readonly hasBots?: boolean;
  /** The accounts of bots; empty by default. */
  readonly botAccounts?: readonly string[];
  /** If prices are simulated: prices from before the venue's start, oldest first. */
  readonly simulatedPast?:
    | ((
        symbol: string,
        beganMs: number,
      ) => readonly { readonly atMs: number; readonly priceE8: number }[])
    | undefined;
  /** Whether accounts appear in a leaderboard; true by default. */
  readonly hasLeaderboard?: boolean;
  /** False if no settlement chain is configured; true by default. */
  readonly hasChain?: boolean;
  /** The replicas of a cluster that clients can reach. */
  readonly replicas?: ReplicaList | undefined;
};

export type InfoAnswer<Data = unknown> =
  | {
      readonly ok: true;
      readonly data: Data;
      readonly warnings?: readonly Warning[];
      /** For paged queries: returned next to `data`. */
      readonly nextCursor?: string | null;
    }
  | { readonly ok: false; readonly error: WireError };

/** Answers one type of query from the state, synchronously. */
export type InfoHandler<Type extends InfoType, Data = unknown> = (
  context: InfoContext,
  query: InfoQueryOf<Type>,
) => InfoAnswer<Data>;

/**
 * Returns the history that a query needs; undefined if memory and the loaded history are
 * sufficient.
 */
export type PastNeeds<Type extends InfoType> = (
  context: InfoContext,
  query: InfoQueryOf<Type>,
) => PastNeed | undefined;

/** The handler of a query type, and the history that it needs. */
export type StateHandler<Type extends InfoType> = {
  readonly answer: InfoHandler<Type>;
  readonly needs?: PastNeeds<Type>;
  /** Many clients send the query at their start or regularly, and the state alone answers it. */
  readonly isCommon?: true;
};

/** The queries of one file; `answer-info.ts` joins these records. */
export type StateQueries = { readonly [Type in InfoType]?: StateHandler<Type> };

export function answer<Data>(data: Data): InfoAnswer<Data> {
  return { ok: true, data };
}

/** The listed perp of an id in API form, or the error. */
export function perpOf(
  state: State,
  coin: string,
): { readonly ok: true; readonly perp: PerpDefinition } | { ok: false; error: WireError } {
  const perp = findPerp(state, Number.parseInt(coin, 10));
  if (perp !== undefined) return { ok: true, perp };
  return { ok: false, error: refusal('instrumentNotFound', [], { field: 'coin', got: coin }) };
}

/** The error for an unknown id or name. */
export function instrumentNotFound(field: string, got: string | number): InfoAnswer<never> {
  return { ok: false, error: refusal('instrumentNotFound', [], { field, got }) };
}

export const OUTCOME_CHANNEL = 1;

export function findPerp(state: State, instrumentId: number): PerpDefinition | undefined {
  return state.perps.get(instrumentId)?.definition;
}

/** The replicas of a venue that clients can reach, including this one, with their heights. */
export type ReplicaList = () => readonly {
  readonly replica: string;
  readonly url: string;
  readonly height: number;
}[];

/**
 * The data of settled events that a query needs and that is no longer in memory. The query first
 * returns its needs, the edge loads them from the history, and the query is answered with the
 * result.
 */

/** All parts that are present are needed. */
export type PastNeed = {
  readonly slugs?: readonly string[];
  readonly list?: PastList;
  readonly bars?: readonly PastBars[];
};

/** Settled events in a sort order, starting after a position. */
export type PastList = {
  readonly sortBy: 'volume' | 'newest' | 'endingSoon' | 'start' | 'zero';
  readonly descending: boolean;
  readonly tag: string | undefined;
  readonly seriesSlug?: string;
  readonly after: Place | undefined;
  readonly limit: number;
  readonly settledBeforeMs: number;
};

/** Rows of trades, and the last row before them. */
export type PastBars = MissingRows & { readonly instrumentId: number };

/** The answer of the history. */
export type Past = {
  /** By slug; null if the history does not have the event. */
  readonly events: Map<string, EventWithMarkets | null>;
  list?: {
    readonly events: readonly EventWithMarkets[];
    /** True if no further events follow. */
    readonly isEnd: boolean;
  };
  /** By instrument. */
  readonly bars: Map<number, PastRows>;
};

/** The last row before a period, if it exists, and the rows of the period. */
export type PastRows = { readonly stepMs: number; readonly rows: readonly CandleRow[] };

export function emptyPast(): Past {
  return { events: new Map(), bars: new Map() };
}

/** Lookups of events and markets in memory and in the history. */

/** Events may leave memory while a query is pending, so the history is also asked for events that are about to leave. */
const LEAVING_MS = 60_000;

export function settledBeforeMs({ markets, state }: InfoContext): number {
  return state.timeMs - markets.catalogue.keptMs + LEAVING_MS;
}

/** An event by its slug, from memory or from the history. */
export function eventIn(
  { markets, past }: InfoContext,
  slug: string,
): EventWithMarkets | undefined {
  const event = markets.catalogue.listedEvent(slug);
  if (event !== undefined) return { event, markets: markets.catalogue.marketsOf(event) };
  return past?.events.get(slug) ?? undefined;
}

/** A market by its id, from memory or from the history. */
export function marketIn(context: InfoContext, instrumentId: number): MarketRecord | undefined {
  const { markets, past, state } = context;
  const record = markets.catalogue.market(instrumentId);
  if (record !== undefined) return record;
  const slug = settledMarketView(state, instrumentId)?.eventSlug;
  const event = slug === undefined ? undefined : past?.events.get(slug);
  return event?.markets.find((market) => market.instrumentId === instrumentId);
}

/**
 * The events that are no longer in memory and have not been requested. The engine knows all slugs.
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

/** `eventsNeeded` for the events of markets. */
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
