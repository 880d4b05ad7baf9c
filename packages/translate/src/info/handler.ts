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

/** What a query may read. */
export type InfoContext = {
  readonly state: State;
  readonly network: Network;
  readonly settings: InfoSettings;
  readonly markets: MarketData;
  /** How orders ended that the state has forgotten. */
  readonly ended?: EndedLookup;
  /** Of the cursors that the venue gives out; without one they end with the process. */
  readonly cursors?: CursorSeal | undefined;
  /** What the history was asked for this query, where it needs more than memory has. */
  readonly past?: Past;
};

/** Facts about the deployment that the state does not hold. */
export type InfoSettings = {
  readonly bridgeContractAddress: string;
  readonly usdcContractAddress: string;
  readonly settlementChainId: number;
  /** What wallets may use. */
  readonly settlementRpcUrl?: string | undefined;
  /** Where the relay serves; undefined without one. */
  readonly relayUrl?: string | undefined;
  /** What the relay takes as source chain. */
  readonly chainName: string;
  /** Of one grant; undefined without a faucet. */
  readonly faucetUsdc?: number | undefined;
  /** Simulated traders make the books; not unless told. */
  readonly hasBots?: boolean;
  /** The accounts of simulated traders; none unless told. */
  readonly botAccounts?: readonly string[];
  /** Where prices are simulated: made-up ones of before the venue began, oldest first. */
  readonly simulatedPast?:
    | ((
        symbol: string,
        beganMs: number,
      ) => readonly { readonly atMs: number; readonly priceE8: number }[])
    | undefined;
  /** Accounts are compared with each other; they are unless told. */
  readonly hasLeaderboard?: boolean;
  /** False where no settlement chain is configured; true by default. */
  readonly hasChain?: boolean;
  /** The processes of a cluster that clients can reach. */
  readonly replicas?: ReplicaList | undefined;
};

export type InfoAnswer<Data = unknown> =
  | {
      readonly ok: true;
      readonly data: Data;
      readonly warnings?: readonly Warning[];
      /** Of paged queries: told beside `data`. */
      readonly nextCursor?: string | null;
    }
  | { readonly ok: false; readonly error: WireError };

/** Answers one type of query from the state, at once. */
export type InfoHandler<Type extends InfoType, Data = unknown> = (
  context: InfoContext,
  query: InfoQueryOf<Type>,
) => InfoAnswer<Data>;

/** Says what a query needs of the past; undefined when memory, and what was asked already, suffice. */
export type PastNeeds<Type extends InfoType> = (
  context: InfoContext,
  query: InfoQueryOf<Type>,
) => PastNeed | undefined;

/** How a type of query is answered from the state, and what it needs of the past. */
export type StateHandler<Type extends InfoType> = {
  readonly answer: InfoHandler<Type>;
  readonly needs?: PastNeeds<Type>;
};

/** The queries that a file answers; `answer-info.ts` joins these records. */
export type StateQueries = { readonly [Type in InfoType]?: StateHandler<Type> };

export function answer<Data>(data: Data): InfoAnswer<Data> {
  return { ok: true, data };
}

/** The listed perp of an id as the wire writes it, or the refusal. */
export function perpOf(
  state: State,
  coin: string,
): { readonly ok: true; readonly perp: PerpDefinition } | { ok: false; error: WireError } {
  const perp = findPerp(state, Number.parseInt(coin, 10));
  if (perp !== undefined) return { ok: true, perp };
  return { ok: false, error: refusal('instrumentNotFound', [], { field: 'coin', got: coin }) };
}

/** The refusal of an id or name that nothing is known of. */
export function instrumentNotFound(field: string, got: string | number): InfoAnswer<never> {
  return { ok: false, error: refusal('instrumentNotFound', [], { field, got }) };
}

/** The channel of outcome markets. */
export const OUTCOME_CHANNEL = 1;

/** The listed perp of an id. */
export function findPerp(state: State, instrumentId: number): PerpDefinition | undefined {
  return state.perps.get(instrumentId)?.definition;
}

/** The processes of a venue that clients can reach now, this one among them, and how far each is. */
export type ReplicaList = () => readonly {
  readonly replica: string;
  readonly url: string;
  readonly height: number;
}[];

/**
 * What queries need of events that are settled so long that memory has let go of them. A query first
 * says what it needs; the edge asks the history for it, and the query is answered with what came.
 */

/** All parts that are there are needed. */
export type PastNeed = {
  /** Events by name. */
  readonly slugs?: readonly string[];
  readonly list?: PastList;
  readonly bars?: readonly PastBars[];
};

/** Settled events in an order, from behind a place on. */
export type PastList = {
  readonly sortBy: 'volume' | 'newest' | 'endingSoon' | 'start' | 'zero';
  readonly descending: boolean;
  readonly tag: string | undefined;
  readonly seriesSlug?: string;
  readonly after: Place | undefined;
  readonly limit: number;
  readonly settledBeforeMs: number;
};

/** Rows of trades, and the last one before them. */
export type PastBars = MissingRows & { readonly instrumentId: number };

/** What the history said. */
export type Past = {
  /** By name; null of one that it does not have. */
  readonly events: Map<string, EventWithMarkets | null>;
  list?: {
    readonly events: readonly EventWithMarkets[];
    /** Whether there are none behind these. */
    readonly isEnd: boolean;
  };
  /** By instrument. */
  readonly bars: Map<number, PastRows>;
};

/** The last row before a span, if there is one, and those of the span. */
export type PastRows = { readonly stepMs: number; readonly rows: readonly CandleRow[] };

export function emptyPast(): Past {
  return { events: new Map(), bars: new Map() };
}

/** Events and markets, wherever they are. */

/** While a question is under way events may leave; they are asked for a bit before they do. */
const LEAVING_MS = 60_000;

export function settledBeforeMs({ markets, state }: InfoContext): number {
  return state.timeMs - markets.catalogue.keptMs + LEAVING_MS;
}

/** An event by its name, from memory or from the past. */
export function eventIn(
  { markets, past }: InfoContext,
  slug: string,
): EventWithMarkets | undefined {
  const event = markets.catalogue.listedEvent(slug);
  if (event !== undefined) return { event, markets: markets.catalogue.marketsOf(event) };
  return past?.events.get(slug) ?? undefined;
}

/** A market by its id, from memory or from the past. */
export function marketIn(context: InfoContext, instrumentId: number): MarketRecord | undefined {
  const { markets, past, state } = context;
  const record = markets.catalogue.market(instrumentId);
  if (record !== undefined) return record;
  const slug = settledMarketView(state, instrumentId)?.eventSlug;
  const event = slug === undefined ? undefined : past?.events.get(slug);
  return event?.markets.find((market) => market.instrumentId === instrumentId);
}

/** Which of these events have left memory and were not asked for yet. The engine knows all names. */
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

/** The same for the events of markets. */
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
