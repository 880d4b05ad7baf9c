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
import { retryUntilAnswered } from './retry-until-answered.ts';

/**
 * The maximum number of messages in flight. Each gives the position it requires, so none can
 * overtake another.
 */
const ON_THEIR_WAY_MAX = 128;

export type WriteStreamOptions = {
  /** The stream must be empty, because nothing may be written after other writers' blocks. */
  readonly stream: BlockStream;
  readonly journal: Pick<FileJournal, 'firstSeq' | 'lastSeq' | 'replay'>;
  readonly serviceNetwork: string;
  readonly nowMs: number;
  readonly former?: readonly FormerStream[] | undefined;
  readonly onProgress?: (seq: number, lastSeq: number) => void;
};

/** Thrown if another process writes to the stream at the same time. */
class StreamBusyError extends Error {
  override readonly name = 'StreamBusyError';
}

/**
 * Writes a whole journal to a stream, to convert a venue on one machine into a cluster or to
 * restore a stream that lost data. Blocks without a proposal id get one.
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
      await retryUntilAnswered(() => stream.publishBehind(place - 1, id, { data }));
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
      // A block has no id if it comes from a venue on one machine, or if it did not count in an
      // earlier stream.
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

/**
 * Returns whether the stream contains this message, because its acknowledgement may have been lost.
 */
async function isThere(stream: BlockStream, place: number, data: Uint8Array): Promise<boolean> {
  const found = await retryUntilAnswered(() => stream.at(place));
  return found !== undefined && Buffer.compare(found, data) === 0;
}

export function contentOf(encoded: Buffer): Buffer {
  const proposal = proposalOf(encoded);
  if (proposal === undefined) return encoded;
  const buffer = new BlockBuffer();
  buffer.writeBlock(commandsOf(encoded));
  return Buffer.from(buffer.bytes.subarray(0, buffer.length));
}
