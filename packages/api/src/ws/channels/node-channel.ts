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

/** The models shared by the channels. They process each block before the channels do. */
export type StreamModels = {
  readonly markets: MarketData;
  readonly tape: TradeTape;
  readonly explorer: ExplorerTail;
  readonly recent: RecentBlocks;
  readonly history: History;
};

export type ChannelContext = StreamModels & {
  readonly state: () => State;
  readonly limits: WsLimits;
  readonly timing: Timing;
};

type ChannelRefusal = { readonly message: string; readonly details?: Details | undefined };

/** A function that opens a stream, or the reason its parameters are invalid. */
export type Opening =
  | { readonly ok: true; readonly recipe: StreamRecipe }
  | ({ readonly ok: false } & ChannelRefusal);

/** A family of streams that are updated by blocks. */
export interface NodeChannel<Params> {
  open(params: Params): Opening;
  /** Called after a block has been applied to the state. */
  onBlock(block: AppliedBlock): void;
}

/** The channels of one file; `channel-sets.ts` merges these records. */
export type ChannelFactories = {
  readonly [Name in ChannelName]?: (context: ChannelContext) => NodeChannel<ChannelParams<Name>>;
};

/** Finds an instrument by its id, including settled markets, or returns a refusal. */
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

/**
 * Returns a number that increases with every change to an instrument's book. Settled markets have
 * no book.
 */
export function bookVersion(state: State, instrumentId: number): number {
  const { book } = state.perps.get(instrumentId) ?? state.outcomes.markets.get(instrumentId) ?? {};
  return book?.version ?? -1;
}

/**
 * Finds the outcome markets of a subscription, or returns a refusal. Settled markets are included,
 * so a client can subscribe to a group again after one of its markets has ended.
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
