import { asEntries, replaySegments } from './journal-replay.ts';
import type { Log, ReplayOptions, TakeEntry } from './log.ts';
import { readSegments } from './segment-files.ts';

/**
 * The journal of another thread, up to an entry that is known to be durable. It can be replayed while
 * the other goes on writing, and nothing else.
 */
export async function readJournal(directory: string, untilSeq: number): Promise<Log> {
  const segments = await readSegments(directory);
  return {
    firstSeq: segments[0]?.firstSeq ?? 1,
    lastSeq: untilSeq,
    isWriting: false,
    replay: (fromSeq: number, apply: TakeEntry, options: ReplayOptions = {}): Promise<void> => {
      const range = { fromSeq, untilSeq: Math.min(untilSeq, options.untilSeq ?? Infinity) };
      return replaySegments(segments, range, asEntries(apply, options));
    },
    follow: refuse,
    append: refuse,
    appendBehind: refuse,
    onFree: () => {},
    compact: refuse,
    close: () => Promise.resolve(),
  };
}

function refuse(): never {
  throw new Error('the journal of another thread is read-only');
}
