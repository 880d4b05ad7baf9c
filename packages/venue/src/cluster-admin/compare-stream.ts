import type { LogEntry } from '../block/block.ts';
import { decodeBlockMessage, decodeOpening } from '../cluster/block-message.ts';
import type { BlockStream } from '../cluster/block-stream.ts';
import { patiently } from '../cluster/patiently.ts';
import { OPENING_PLACE, placeOf } from '../cluster/stream-places.ts';
import { contentOf } from '../cluster/write-stream.ts';
import { BlockBuffer } from '../log/block-codec.ts';
import type { FileJournal } from '../log/file-journal.ts';
import type { Progress } from './check-copy.ts';

/** A stream that is not what was written to it. */
class StreamDiffersError extends Error {
  override readonly name = 'StreamDiffersError';
}

/** Reads a stream that was written from a journal, and compares every block of it with those files. */
export async function compareStream(
  stream: BlockStream,
  journal: FileJournal,
  onProgress: Progress,
): Promise<void> {
  const found = await patiently(() => stream.at(OPENING_PLACE));
  if (found === undefined) throw new StreamDiffersError('the stream is empty');
  const opening = decodeOpening(found);
  const { firstSeq, lastSeq } = journal;
  const read = new Map<number, Uint8Array>();
  let wake = (): void => undefined;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const following = stream.follow(placeOf(opening, firstSeq), {
    take({ data, place }) {
      read.set(place, data);
      wake();
      if (read.size < READ_AHEAD_MAX) return undefined;
      return new Promise((resolve) => (taken = resolve));
    },
    onReplaced: (place) =>
      failed.reject(new StreamDiffersError(`sequence number ${place} was overwritten`)),
    onFatal: (error) => failed.reject(error),
  });
  let taken = (): void => undefined;
  const next = async (place: number): Promise<Uint8Array> => {
    for (;;) {
      const data = read.get(place);
      if (data !== undefined) {
        read.delete(place);
        taken();
        return data;
      }
      await Promise.race([new Promise<void>((resolve) => (wake = resolve)), failed.promise]);
    }
  };
  const compare = async (entry: LogEntry): Promise<void> => {
    const { encoded, timeMs } = decodeBlockMessage(await next(placeOf(opening, entry.seq)));
    const isSame = timeMs === entry.timeMs && contentOf(encoded).equals(bytesOf(entry));
    if (!isSame) throw new StreamDiffersError(`block ${entry.seq} of the stream differs`);
    onProgress('compared', entry.seq, lastSeq);
  };
  try {
    await journal.replay(firstSeq, compare, { withRequests: true });
  } finally {
    taken();
    await following.stop();
  }
}

const READ_AHEAD_MAX = 256;

function bytesOf({ commands }: LogEntry): Buffer {
  const buffer = new BlockBuffer();
  buffer.writeBlock(commands);
  return Buffer.from(buffer.bytes.subarray(0, buffer.length));
}
