import { setTimeout as later } from 'node:timers/promises';
import type { BlockStream, StreamEnd } from './block-stream.ts';
import type { StreamOpening } from './block-message.ts';
import { patiently } from './patiently.ts';
import { StreamLostError } from './stream-error.ts';
import { placeOf, seqOf } from './stream-places.ts';

/** A leader that has just been elected may not have applied everything that it has: it is asked so often. */
const LOOKS = 3;
const LOOK_EVERY_MS = 1_000;

/**
 * The last place of a stream, as soon as it is known to reach a place or to end before it. A short end counts once the same
 * leader has repeated it and a majority of the servers has answered that leader since its first answer. Until then the
 * answer may be of a server that another one has replaced, or of one that is still applying what it has.
 */
export async function confirmedEnd(
  stream: Pick<BlockStream, 'end'>,
  place: number,
): Promise<number> {
  let looks = 0;
  let first: { readonly end: StreamEnd; readonly answeredMs: number } | undefined;
  for (;;) {
    const askedMs = performance.now();
    const end = await patiently(() => stream.end());
    if (end.lastPlace >= place) return end.lastPlace;
    if (first === undefined || !isSame(end, first.end)) {
      looks = 0;
      first = { end, answeredMs: performance.now() };
    }
    looks += 1;
    if (looks >= LOOKS && askedMs - end.heardMs >= first.answeredMs) return end.lastPlace;
    await later(LOOK_EVERY_MS);
  }
}

function isSame(end: StreamEnd, other: StreamEnd): boolean {
  return end.leader === other.leader && end.lastPlace === other.lastPlace;
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
