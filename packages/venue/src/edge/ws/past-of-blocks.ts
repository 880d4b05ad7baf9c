import type { AppliedBlock } from '../../block/block.ts';
import { NOTHING_PAST, type Past, type PastFrame } from './past.ts';

/** Frames that are made at a time, about. */
const FRAMES_AT_ONCE = 64;

/**
 * The frames of blocks that are in memory, in the words that a channel has for each. They are made twice, first to be
 * counted: kept until a slow client has read them they could be much.
 */
export function pastOfBlocks(
  blocks: readonly AppliedBlock[],
  textsOf: (block: AppliedBlock) => readonly string[],
): Past {
  const telling: AppliedBlock[] = [];
  let count = 0;
  for (const block of blocks) {
    const frames = textsOf(block).length;
    if (frames > 0) telling.push(block);
    count += frames;
  }
  if (count === 0) return NOTHING_PAST;
  let at = 0;
  const next = (): PastFrame[] => {
    const frames: PastFrame[] = [];
    while (frames.length < FRAMES_AT_ONCE) {
      const block = telling[at];
      if (block === undefined) break;
      at += 1;
      for (const data of textsOf(block)) frames.push({ height: block.height, data });
    }
    return frames;
  };
  return { count, next };
}
