import type { Fill } from '@oddlot/protocol';
import type { InfoClient } from '../info/create-info.ts';
import type { StreamsClient } from '../streams/create-streams.ts';

/**
 * The position of a fills reader. It is plain JSON: store it in order to resume after a restart.
 */
export type FillsCursor = {
  /** The time of the last returned fill. */
  readonly timeMs: number;
  /** The ids of the fills already returned for that time. */
  readonly tids: readonly string[];
};

/** A fill, with the cursor that follows it. */
export type FollowedFill = { readonly fill: Fill; readonly cursor: FillsCursor };

/** The account to follow, and the position at which to start. */
export type FollowFillsOptions = {
  readonly user: string;
  readonly accountType?: readonly ('perp' | 'outcome')[] | undefined;
  /** The position after which to start; by default, only new fills are returned. */
  readonly cursor?: FillsCursor | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Yields each of an account's fills once, in order: first those since the cursor, then new ones.
 * Store the cursor of a fill after you have processed it; after a crash, at most that one fill is
 * repeated. The loop ends when you leave it, when the client is closed, or when the signal is
 * aborted.
 */
export async function* followFills(
  { info, streams }: { readonly info: InfoClient; readonly streams: StreamsClient },
  { user, accountType = ['perp'], cursor, signal }: FollowFillsOptions,
): AsyncGenerator<FollowedFill, void> {
  const stream = streams.userFills({ user, accountType });
  const stop = (): void => stream.close();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  let position = cursor;
  try {
    for await (const event of stream) {
      if (event.type === 'reset') continue;
      const { fills, isSnapshot } = event.data;
      const isFirst = event.isSnapshot || isSnapshot === true;
      // A list starts with its newest fill, whereas the fills within a block are in chronological
      // order.
      const received = isFirst ? fills.toReversed() : fills;
      if (position === undefined) {
        position = cursorAfter(received);
        continue;
      }
      const missed = isFirst
        ? await since(info, { user, accountType, position, received })
        : received;
      for (const fill of missed) {
        if (isBefore(fill, position)) continue;
        position = next(position, fill);
        yield { fill, cursor: position };
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stream.close();
  }
}

/** Returns the cursor that follows fills the caller did not request. */
function cursorAfter(fills: readonly Fill[]): FillsCursor {
  let position: FillsCursor = { timeMs: 0, tids: [] };
  for (const fill of fills) position = next(position, fill);
  return position;
}

/**
 * Returns the fills since the position. If the list starts later than that, the missing fills are
 * queried from the history.
 */
async function since(
  info: InfoClient,
  {
    user,
    accountType,
    position,
    received,
  }: {
    readonly user: string;
    readonly accountType: readonly ('perp' | 'outcome')[];
    readonly position: FillsCursor;
    readonly received: readonly Fill[];
  },
): Promise<readonly Fill[]> {
  const oldest = received[0];
  if (oldest === undefined || oldest.time < position.timeMs) return received;
  const rows: Fill[] = [];
  const query = { user, accountType: [...accountType], startTime: position.timeMs };
  for await (const fill of info.allUserFills(query)) rows.push(fill);
  const known = new Set(rows.map(keyOf));
  return [...rows.reverse(), ...received.filter((fill) => !known.has(keyOf(fill)))];
}

function isBefore(fill: Fill, position: FillsCursor): boolean {
  return (
    fill.time < position.timeMs ||
    (fill.time === position.timeMs && position.tids.includes(keyOf(fill)))
  );
}

function next(position: FillsCursor, fill: Fill): FillsCursor {
  if (fill.time > position.timeMs) return { timeMs: fill.time, tids: [keyOf(fill)] };
  return { timeMs: position.timeMs, tids: [...position.tids, keyOf(fill)] };
}

/**
 * Identifies a fill. A self-trade has two fills with one trade id, and trade ids are unique only
 * within a book.
 */
function keyOf({ instrumentId, tid, oid }: Fill): string {
  return `${instrumentId}:${tid}:${oid}`;
}
