import { randomUUID } from 'node:crypto';
import { BlockBuffer, proposalOf } from '@oddlot/replica/log/block-codec';
import type { FileJournal } from '@oddlot/replica/log/file-journal';
import {
  commandsOf,
  encodeBlockMessage,
  encodeOpening,
  type FormerStream,
  OPENING_PLACE,
  placeOf,
  type StreamOpening,
} from './block-message.ts';
import type { BlockStream } from './block-stream.ts';
import { NotNextError } from './stream-error.ts';
import { patiently } from './patiently.ts';

/** Messages on their way: each names the place that it must have, so that none can overtake another. */
const ON_THEIR_WAY_MAX = 128;

export type WriteStreamOptions = {
  /** Empty: nothing is written behind what others have. */
  readonly stream: BlockStream;
  readonly journal: Pick<FileJournal, 'firstSeq' | 'lastSeq' | 'replay'>;
  readonly serviceNetwork: string;
  readonly nowMs: number;
  readonly former?: readonly FormerStream[] | undefined;
  readonly onProgress?: (seq: number, lastSeq: number) => void;
};

/** Somebody else writes to a stream that is being written from a copy. */
class StreamBusyError extends Error {
  override readonly name = 'StreamBusyError';
}

/**
 * Writes a whole journal to a stream: what a venue of one machine becomes a cluster by, and what a stream that lost
 * something is made whole by. Blocks that have no name of a proposer get one.
 */
export async function writeStream(options: WriteStreamOptions): Promise<StreamOpening> {
  const { former, journal, nowMs, onProgress, serviceNetwork, stream } = options;
  const { firstSeq, lastSeq } = journal;
  const era = randomUUID();
  const opening: StreamOpening = {
    serviceNetwork,
    firstSeq,
    lastSeq,
    era,
    ...(former && { former }),
  };
  const buffer = new BlockBuffer();
  const flying: Promise<void>[] = [];
  const publish = async (place: number, id: string, data: Uint8Array): Promise<void> => {
    try {
      await patiently(() => stream.publishBehind(place - 1, id, { data }));
    } catch (error) {
      if (error instanceof NotNextError && (await isThere(stream, place, data))) return;
      throw new StreamBusyError(`another process has written sequence number ${place}`, {
        cause: error,
      });
    }
  };
  await publish(OPENING_PLACE, `opening:${opening.era}`, encodeOpening(nowMs, opening));
  let written = 0;
  let nameless = 0;
  await journal.replay(
    journal.firstSeq,
    async ({ commands, proposal, seq, timeMs }) => {
      // Of one machine, or one that did not count when it came and counts for nothing again.
      if (proposal === undefined) nameless += 1;
      buffer.writeBlock(commands, proposal ?? `${opening.era}:${nameless}`);
      const data = encodeBlockMessage(timeMs, buffer.bytes.subarray(0, buffer.length));
      buffer.clear();
      flying.push(publish(placeOf(opening, seq), `${opening.era}/${seq}`, data));
      written = seq;
      if (flying.length < ON_THEIR_WAY_MAX) return;
      await flying.shift();
      onProgress?.(written, journal.lastSeq);
    },
    { withRequests: true },
  );
  await Promise.all(flying);
  onProgress?.(written, journal.lastSeq);
  return opening;
}

/** Its own acknowledgement was lost. */
async function isThere(stream: BlockStream, place: number, data: Uint8Array): Promise<boolean> {
  const found = await patiently(() => stream.at(place));
  return found !== undefined && Buffer.compare(found, data) === 0;
}

/** What a block says, without what its proposer called it. */
export function contentOf(encoded: Buffer): Buffer {
  const proposal = proposalOf(encoded);
  if (proposal === undefined) return encoded;
  const buffer = new BlockBuffer();
  buffer.writeBlock(commandsOf(encoded));
  return Buffer.from(buffer.bytes.subarray(0, buffer.length));
}
