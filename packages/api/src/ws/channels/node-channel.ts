import type { State } from '@oddlot/engine';
import {
  type ChannelName,
  type ChannelParams,
  type Details,
  OUTCOME_ID_MIN,
  refusal,
} from '@oddlot/protocol';
import type { MarketData } from '@oddlot/translate/read-models/market-data';
import type { AppliedBlock } from '@oddlot/replica/block';
import type { ExplorerTail, RecentBlocks } from '@oddlot/history/recent-blocks';
import type { History } from '@oddlot/history/history';
import { type Instrument, instrumentLookup } from '@oddlot/translate/instruments';
import type { StreamRecipe } from '../stream.ts';
import type { Timing } from '../timing.ts';
import type { WsLimits } from '../../ws-limits.ts';
import type { TradeTape } from '@oddlot/history/trade-tape';

/** What is made of blocks elsewhere and shown by channels too; it has seen a block before they do. */
export type StreamModels = {
  readonly markets: MarketData;
  readonly tape: TradeTape;
  readonly explorer: ExplorerTail;
  readonly recent: RecentBlocks;
  readonly history: History;
};

/** What channels work with. */
export type ChannelContext = StreamModels & {
  readonly state: () => State;
  readonly limits: WsLimits;
  readonly timing: Timing;
};

/** Why a channel has no such stream. */
type ChannelRefusal = { readonly message: string; readonly details?: Details | undefined };

/** How a stream is opened, or why no stream has these parameters. */
export type Opening =
  | { readonly ok: true; readonly recipe: StreamRecipe }
  | ({ readonly ok: false } & ChannelRefusal);

/** One channel: a family of streams, fed by blocks. */
export interface NodeChannel<Params> {
  open(params: Params): Opening;
  /** A block was applied; the state already shows it. */
  onBlock(block: AppliedBlock): void;
}

/** The channels that a file serves; `channel-sets.ts` joins these records. */
export type ChannelFactories = {
  readonly [Name in ChannelName]?: (context: ChannelContext) => NodeChannel<ChannelParams<Name>>;
};

/** The instrument of an id, of either exchange, settled markets included; or why there is none. */
export function instrumentOf(
  { state }: Pick<ChannelContext, 'state'>,
  coin: string | number,
): { readonly ok: true; readonly instrument: Instrument } | ({ ok: false } & ChannelRefusal) {
  const instrument = instrumentLookup(state)(Number(coin));
  if (instrument !== undefined) return { ok: true, instrument };
  const { message, details } = refusal('instrumentNotFound', [], {
    field: typeof coin === 'number' ? 'instrumentIds' : 'coin',
    got: coin,
  });
  return { ok: false, message, details };
}

/** Grows whenever the book of an instrument changes; a market that is gone has no book. */
export function bookVersion(state: State, instrumentId: number): number {
  const { book } = state.perps.get(instrumentId) ?? state.outcomes.markets.get(instrumentId) ?? {};
  return book?.version ?? -1;
}

/**
 * The outcome markets of a subscription, or why one of them is none. Settled ones count: whoever comes
 * back to a group must not be refused because one of its markets has ended meanwhile.
 */
export function outcomeGroup(
  context: ChannelContext,
  instrumentIds: readonly number[],
):
  | { readonly ok: true; readonly markets: readonly Instrument[] }
  | ({ ok: false } & ChannelRefusal) {
  const markets: Instrument[] = [];
  for (const id of instrumentIds) {
    const found = instrumentOf(context, id);
    if (!found.ok) return found;
    if (id < OUTCOME_ID_MIN) return { ok: false, message: refusal('notOutcome', []).message };
    markets.push(found.instrument);
  }
  return { ok: true, markets };
}
