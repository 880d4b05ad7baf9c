import { setTimeout as later } from 'node:timers/promises';
import type { BlockStream } from './block-stream.ts';
import type { StreamOpening } from './block-message.ts';
import { patiently } from './patiently.ts';
import { StreamLostError } from './stream-error.ts';
import { placeOf, seqOf } from './stream-places.ts';

/** A leader that has just been elected may not have applied everything that it has: it is asked so often. */
const LOOKS = 3;
const LOOK_EVERY_MS = 1_000;

/**
 * The last place of a stream, as soon as it is known to reach a place or to end before it. Only a leader that a majority
 * of the servers follows can say so, and the same one must repeat it: an answer that is too short would otherwise count
 * blocks as lost that the other servers have.
 */
export async function confirmedEnd(
  stream: Pick<BlockStream, 'end'>,
  place: number,
): Promise<number> {
  let looks = 0;
  let leader: string | undefined;
  for (;;) {
    const end = await patiently(() => stream.end());
    if (end.lastPlace >= place) return end.lastPlace;
    looks = looks > 0 && end.leader === leader ? looks + 1 : 1;
    leader = end.leader;
    if (looks === LOOKS) return end.lastPlace;
    await later(LOOK_EVERY_MS);
  }
}

/** Why a stream no longer has the blocks up to one that was read from it; undefined where it has them. */
export async function confirmedLoss(
  stream: Pick<BlockStream, 'end'>,
  opening: StreamOpening,
  { by, to, who }: { readonly to: number; readonly by?: string | undefined; readonly who?: string },
): Promise<StreamLostError | undefined> {
  const place = await confirmedEnd(stream, placeOf(opening, to));
  // A stream that was removed has not even an opening.
  const lastSeq = Math.max(opening.firstSeq - 1, seqOf(opening, place));
  if (lastSeq >= to) return undefined;
  const why = `it ends at ${lastSeq}`;
  return new StreamLostError({ from: lastSeq + 1, to, why, by, ...(who !== undefined && { who }) });
}
