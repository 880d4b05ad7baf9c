import { setTimeout as later } from 'node:timers/promises';
import type { BlockStream, StreamEnd } from './block-stream.ts';
import {
  commandsOf,
  decodeBlockMessage,
  decodeOpening,
  OPENING_PLACE,
  placeOf,
  seqOf,
  type StreamOpening,
} from './block-message.ts';
import { retryUntilAnswered } from './retry-until-answered.ts';
import { StreamLostError } from './stream-error.ts';
import { attestationIn, ATTESTED_WITHIN_BLOCKS, type LogEntry } from '@oddlot/replica/block';
import type { Hash } from '@oddlot/units';

/**
 * The number of queries before an early end is accepted: a newly elected leader may not have
 * applied all its messages yet.
 */
const LOOKS = 3;
const LOOK_EVERY_MS = 1_000;

export type AskedStream = Pick<BlockStream, 'end' | 'endByRefusal'>;

/**
 * Returns the last position of a stream as soon as the stream is known to reach a given position or
 * to end before it. An end before that position is accepted only after three confirmations:
 * - The same leader has repeated it, because a newly elected one may still apply its messages.
 * - A majority of the servers has responded to that leader since its first response, because
 *   another leader may have replaced it.
 * - The servers have rejected a message with that end; in NATS 2.10, a majority of them must agree.
 */
export async function confirmedEnd(stream: AskedStream, place: number): Promise<number> {
  let queries = 0;
  let first: { readonly end: StreamEnd; readonly answeredMs: number } | undefined;
  for (;;) {
    const askedMs = performance.now();
    const end = await retryUntilAnswered(() => stream.end());
    if (end.lastPlace >= place) return end.lastPlace;
    if (first === undefined || !isSame(end, first.end)) {
      queries = 0;
      first = { end, answeredMs: performance.now() };
    }
    queries += 1;
    const isRepeated = queries >= LOOKS && askedMs - end.silentMs >= first.answeredMs;
    if (isRepeated && (await isRefusedWith(end, stream))) return end.lastPlace;
    await later(LOOK_EVERY_MS);
  }
}

/**
 * Returns whether the servers confirm the end by rejecting a message. A stream that was removed
 * rejects nothing. A stream that has grown in the meantime is queried again.
 */
async function isRefusedWith({ lastPlace }: StreamEnd, stream: AskedStream): Promise<boolean> {
  if (lastPlace === 0) return true;
  const refused = await stream.endByRefusal().catch(() => undefined);
  return refused === lastPlace;
}

function isSame(end: StreamEnd, other: StreamEnd): boolean {
  return end.leader === other.leader && end.lastPlace === other.lastPlace;
}

/**
 * Returns the last block of a stream. The result is confirmed by further queries if it is below a
 * known block, or below the last block written from a folder.
 */
export async function confirmedLastSeq(
  stream: AskedStream,
  opening: StreamOpening,
  knownSeq = 0,
): Promise<number> {
  const { firstSeq, lastSeq = 0 } = opening;
  const expectedSeq = Math.max(knownSeq, lastSeq, firstSeq - 1);
  const lastPlace = await confirmedEnd(stream, placeOf(opening, expectedSeq));
  // A stream that was removed does not even have an opening.
  return Math.max(firstSeq - 1, seqOf(opening, lastPlace));
}

/**
 * Returns the error if a stream no longer has all blocks up to one that was read from it, or
 * undefined if it has them.
 */
export async function confirmedLoss(
  stream: AskedStream,
  opening: StreamOpening,
  {
    by,
    to,
    source,
  }: { readonly to: number; readonly by?: string | undefined; readonly source?: string },
): Promise<StreamLostError | undefined> {
  const lastSeq = await confirmedLastSeq(stream, opening, to);
  if (lastSeq >= to) return undefined;
  const why = `the stream ends at block ${lastSeq}`;
  return new StreamLostError({
    from: lastSeq + 1,
    to,
    why,
    by,
    ...(source !== undefined && { source }),
  });
}

export async function beginningOf(stream: BlockStream): Promise<LogEntry | undefined> {
  const found = await retryUntilAnswered(() => stream.at(OPENING_PLACE));
  if (found === undefined) return undefined;
  const opening = decodeOpening(found);
  const data = await retryUntilAnswered(() => stream.at(placeOf(opening, 1)));
  if (opening.firstSeq > 1 || data === undefined) return undefined;
  const { encoded, timeMs } = decodeBlockMessage(data);
  return { seq: 1, timeMs, commands: commandsOf(encoded) };
}

/**
 * Returns the hash attested in a stream for the content of a block's snapshot, or undefined if
 * there is none.
 */
export async function attestedInStream(
  stream: Pick<BlockStream, 'at' | 'end' | 'follow'>,
  height: number,
): Promise<Hash | undefined> {
  const opening = await retryUntilAnswered(() => stream.at(OPENING_PLACE));
  if (opening === undefined) return undefined;
  const { firstPlace, lastPlace } = await retryUntilAnswered(() => stream.end());
  const behind = placeOf(decodeOpening(opening), height + 1);
  const from = Math.max(behind, OPENING_PLACE + 1, firstPlace);
  const until = Math.min(lastPlace, from + ATTESTED_WITHIN_BLOCKS);
  if (from > until) return undefined;
  const found = Promise.withResolvers<Hash | undefined>();
  const following = stream.follow(from, {
    take({ data, place }) {
      const attested = attestationIn(commandsOf(decodeBlockMessage(data).encoded), height);
      if (attested !== undefined || place >= until) found.resolve(attested);
      return undefined;
    },
    onReplaced: () => found.resolve(undefined),
    onFatal: found.reject,
  });
  try {
    return await found.promise;
  } finally {
    await following.stop();
  }
}
