import type { Fill } from '@oddlot/protocol';
import type { InfoClient } from '../info/create-info.ts';
import type { StreamsClient } from '../streams/create-streams.ts';

/** The position of a reader of fills. Store it (it is plain JSON) to resume after a restart. */
export type FillsCursor = {
  /** Of the last returned fill. */
  readonly timeMs: number;
  /** The returned fills with that time. */
  readonly tids: readonly string[];
};

/** A fill, and the cursor after it. */
export type FollowedFill = { readonly fill: Fill; readonly cursor: FillsCursor };

/** The account, and the position to start from. */
export type FollowFillsOptions = {
  readonly user: string;
  readonly accountType?: readonly ('perp' | 'outcome')[] | undefined;
  /** Starts after this position; by default with new fills. */
  readonly cursor?: FillsCursor | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Yields an account's fills in order, each once: first those since the cursor, then new ones as they happen. Store
 * the cursor of a fill after processing it; a bot that crashes before receives only that fill again.
 *
 * The loop ends when it is left, when the client is closed or when the signal is aborted.
 */
export async function* followFills(
  { info, streams }: { readonly info: InfoClient; readonly streams: StreamsClient },
  { user, accountType = ['perp'], cursor, signal }: FollowFillsOptions,
): AsyncGenerator<FollowedFill, void> {
  const stream = streams.userFills({ user, accountType });
  const stop = (): void => stream.close();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  let place = cursor;
  try {
    for await (const event of stream) {
      if (event.type === 'reset') continue;
      const { fills, isSnapshot } = event.data;
      const isFirst = event.isSnapshot || isSnapshot === true;
      // A list begins with the newest fill; those of a block are in order.
      const told = isFirst ? fills.toReversed() : fills;
      if (place === undefined) {
        place = behind(told);
        continue;
      }
      const missed = isFirst ? await since(info, { user, accountType, place, told }) : told;
      for (const fill of missed) {
        if (isBefore(fill, place)) continue;
        place = next(place, fill);
        yield { fill, cursor: place };
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stream.close();
  }
}

/** The position after fills that were not requested. */
function behind(fills: readonly Fill[]): FillsCursor {
  let place: FillsCursor = { timeMs: 0, tids: [] };
  for (const fill of fills) place = next(place, fill);
  return place;
}

/** A list may begin later than the position; the history has the fills in between. */
async function since(
  info: InfoClient,
  {
    user,
    accountType,
    place,
    told,
  }: {
    readonly user: string;
    readonly accountType: readonly ('perp' | 'outcome')[];
    readonly place: FillsCursor;
    readonly told: readonly Fill[];
  },
): Promise<readonly Fill[]> {
  const oldest = told[0];
  if (oldest === undefined || oldest.time < place.timeMs) return told;
  const rows: Fill[] = [];
  const query = { user, accountType: [...accountType], startTime: place.timeMs };
  for await (const fill of info.allUserFills(query)) rows.push(fill);
  const known = new Set(rows.map(keyOf));
  return [...rows.reverse(), ...told.filter((fill) => !known.has(keyOf(fill)))];
}

function isBefore(fill: Fill, place: FillsCursor): boolean {
  return (
    fill.time < place.timeMs || (fill.time === place.timeMs && place.tids.includes(keyOf(fill)))
  );
}

function next(place: FillsCursor, fill: Fill): FillsCursor {
  if (fill.time > place.timeMs) return { timeMs: fill.time, tids: [keyOf(fill)] };
  return { timeMs: place.timeMs, tids: [...place.tids, keyOf(fill)] };
}

/** A self-trade has two fills of one trade; trade ids are unique within a book. */
function keyOf({ instrumentId, tid, oid }: Fill): string {
  return `${instrumentId}:${tid}:${oid}`;
}
