import { type HolderPlace, outcomeHolders as holdersOf } from '@oddlot/engine';
import { type InfoQueryOf, type OutcomeHolders, refusal } from '@oddlot/protocol';
import { outcomeName } from '../actions/instrument-lookup.ts';
import { listOf, PROCESS_SEAL } from '../cursor-seal.ts';
import { formatAveragePrice, formatSize } from '../format.ts';
import {
  type InfoContext,
  type InfoHandler,
  instrumentNotFound,
  type PastNeeds,
} from './handler.ts';
import { shownMarket } from './outcome-market.ts';
import { marketIn, marketsNeeded } from './past.ts';

type Query = InfoQueryOf<'outcomeHolders'>;

/** Who holds the shares of a leg. A market whose holders are paid has none, and is still known. */
export const outcomeHolders: InfoHandler<'outcomeHolders', OutcomeHolders> = (context, query) => {
  const { state } = context;
  const { instrumentId, limit, outcome } = query;
  const record = marketIn(context, instrumentId);
  if (record === undefined) return instrumentNotFound('instrumentId', instrumentId);
  const after = readCursor(context, query);
  if (after === 'invalid') {
    const details = { field: 'cursor', got: query.cursor ?? null };
    return { ok: false, error: refusal('invalidCursor', [], details) };
  }
  const leg = outcome === 'Yes' ? 'yes' : 'no';
  const found = holdersOf(state, instrumentId, { leg, limit, after });
  const { scale } = shownMarket(state, record);
  const nextCursor = found?.next === undefined ? null : cursorOf(context, query, found.next);
  const data: OutcomeHolders = {
    instrumentId,
    coin: outcomeName(instrumentId),
    outcome,
    holders: found?.holders ?? 0,
    shares: formatSize(scale, found?.shares ?? 0),
    rows: (found?.rows ?? []).map(({ account, cost, size }) => ({
      user: account,
      sz: formatSize(scale, size),
      entryPx: formatAveragePrice(scale, cost, size),
    })),
    nextCursor,
    time: state.timeMs,
  };
  return { ok: true, data, nextCursor };
};

export const holdersNeeds: PastNeeds<'outcomeHolders'> = (context, { instrumentId }) =>
  marketsNeeded(context, [instrumentId]);

/** A cursor says where the page ended and what it was a page of: another leg has no such place. */
function cursorOf(
  { cursors = PROCESS_SEAL }: InfoContext,
  query: Query,
  { index, size }: HolderPlace,
): string {
  const seal = cursors(listOf(query), [size, index]);
  return Buffer.from(JSON.stringify([size, index, seal])).toString('base64url');
}

function readCursor(context: InfoContext, query: Query): HolderPlace | 'invalid' | undefined {
  const { cursor } = query;
  if (cursor === null || cursor === undefined) return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    // Whatever it is, it is not one of ours.
    return 'invalid';
  }
  if (!Array.isArray(parts)) return 'invalid';
  const place = { size: Number(parts[0]), index: Number(parts[1]) };
  return cursorOf(context, query, place) === cursor ? place : 'invalid';
}
