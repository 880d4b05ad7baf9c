import type { LogEntry } from '../block/block.ts';
import { commandsOf, decodeBlockMessage, decodeOpening } from './block-message.ts';
import type { BlockStream } from './block-stream.ts';
import { patiently } from './patiently.ts';
import { OPENING_PLACE, placeOf } from './stream-places.ts';

/** The first block of all, where a stream has it. */
export async function beginningOf(stream: BlockStream): Promise<LogEntry | undefined> {
  const found = await patiently(() => stream.at(OPENING_PLACE));
  if (found === undefined) return undefined;
  const opening = decodeOpening(found);
  const data = await patiently(() => stream.at(placeOf(opening, 1)));
  if (opening.firstSeq > 1 || data === undefined) return undefined;
  const { encoded, timeMs } = decodeBlockMessage(data);
  return { seq: 1, timeMs, commands: commandsOf(encoded) };
}
