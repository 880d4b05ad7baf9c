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
 * The number of queries, because a newly elected leader may not have applied all of its messages.
 */
const LOOKS = 3;
const LOOK_EVERY_MS = 1_000;

export type AskedStream = Pick<BlockStream, 'end' | 'endByRefusal'>;

/**
 * The last place of a stream, as soon as it is known to reach a place or to end before it. A short
 * end counts once
 * - the same leader has repeated it: a newly elected one may still be applying its messages;
 * - a majority of the servers has answered that leader since its first answer: another one may
 *   have replaced it;
 * - the servers have rejected a message with it, which those of NATS 2.10 do by a majority.
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
    const isRepeated = queries >= LOOKS && askedMs - end.heardMs >= first.answeredMs;
    if (isRepeated && (await isRefusedWith(end, stream))) return end.lastPlace;
    await later(LOOK_EVERY_MS);
  }
}

/** A stream that was removed rejects nothing. One that has grown meanwhile is queried again. */
async function isRefusedWith({ lastPlace }: StreamEnd, stream: AskedStream): Promise<boolean> {
  if (lastPlace === 0) return true;
  const refused = await stream.endByRefusal().catch(() => undefined);
  return refused === lastPlace;
}

function isSame(end: StreamEnd, other: StreamEnd): boolean {
  return end.leader === other.leader && end.lastPlace === other.lastPlace;
}

/**
 * The last block of a stream. It is confirmed if it is below a known block, or below the last one
 * that a stream was written with from a folder.
 */
export async function confirmedLastSeq(
  stream: AskedStream,
  opening: StreamOpening,
  knownSeq = 0,
): Promise<number> {
  const { firstSeq, lastSeq = 0 } = opening;
  const expectedSeq = Math.max(knownSeq, lastSeq, firstSeq - 1);
  const lastPlace = await confirmedEnd(stream, placeOf(opening, expectedSeq));
  // A stream that was removed has not even an opening.
  return Math.max(firstSeq - 1, seqOf(opening, lastPlace));
}

/**
 * The reason why a stream no longer has the blocks up to one that was read from it; undefined if it
 * has them.
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

/** The very first block of the log, if the stream contains it. */
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
 * The hash that a stream attests for the content of the snapshot of a block; undefined without one.
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
