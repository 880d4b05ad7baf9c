import type { PerpDefinition, State } from '@oddlot/engine';
import {
  refusal,
  type InfoQueryOf,
  type InfoType,
  type Network,
  type Warning,
  type WireError,
} from '@oddlot/protocol';
import type { MarketData } from '../../read-models/market-data.ts';
import type { CursorSeal } from '../cursor-seal.ts';
import type { EndedLookup } from '../outcome/ended-order.ts';
import type { Past, PastNeed } from './past-need.ts';
import type { ReplicaList } from './replica-list.ts';

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
