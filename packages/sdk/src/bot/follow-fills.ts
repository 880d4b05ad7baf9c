import type { Fill } from '@oddlot/protocol';
import type { InfoClient } from '../info/create-info.ts';
import type { StreamsClient } from '../streams/create-streams.ts';

/** Where a reader of fills stands: keep it (it is plain JSON), and go on behind it after a restart. */
export type FillsCursor = {
  /** Of the last fill that was given. */
  readonly timeMs: number;
  /** The fills of that moment that were given. */
  readonly tids: readonly string[];
};

/** A fill, and the cursor behind it. */
export type FollowedFill = { readonly fill: Fill; readonly cursor: FillsCursor };

/** Whose fills, and from where on. */
export type FollowFillsOptions = {
  readonly user: string;
  readonly accountType?: readonly ('perp' | 'outcome')[] | undefined;
  /** Behind this one; without it from now on. */
  readonly cursor?: FillsCursor | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * An account's fills in the order in which they happened, each once: what came while nobody listened first, then the new ones
 * as they come. Keep the cursor of a fill when it is dealt with. A bot that dies in between is given it again, and no other.
 *
 * The loop ends when it is left, when the client is closed or when the signal is given.
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
      // A list begins with the newest; those of a block are in their order.
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

/** The place behind fills that nobody asked for. */
function behind(fills: readonly Fill[]): FillsCursor {
  let place: FillsCursor = { timeMs: 0, tids: [] };
  for (const fill of fills) place = next(place, fill);
  return place;
}

/** A list may begin later than the place: then the history has what is in between. */
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

/** Who trades with oneself has two fills of one trade; a number of a trade is one of its book. */
function keyOf({ instrumentId, tid, oid }: Fill): string {
  return `${instrumentId}:${tid}:${oid}`;
}
