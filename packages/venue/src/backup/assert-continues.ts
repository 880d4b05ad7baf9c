import { join } from 'node:path';
import { JournalDamagedError } from '../log/log.ts';
import type { Chain } from '../log/journal-format.ts';
import { openSegment, readSegments, type Segment } from '../log/segment-files.ts';
import { scanRecords } from '../log/segment-scan.ts';
import { BackupError } from './backup-error.ts';

/**
 * Throws unless the log of a data folder goes on from the one that a backup has: a folder of another venue, or an older copy of the
 * same one, would take the place of the only copy of blocks that somebody was told of.
 *
 * Each record has the checksum of the one before it, so that two logs that agree in one record agree in all before it.
 */
export async function assertContinues({
  data,
  to,
}: {
  readonly data: string;
  readonly to: string;
}): Promise<void> {
  const kept = await segmentsOf(to);
  const segments = await readSegments(join(data, 'journal'));
  const last = await chainUpTo(kept, Infinity);
  const [oldest] = segments;
  if (last === undefined || oldest === undefined) return;
  const reached = await chainUpTo(segments, last.seq);
  if (reached === undefined) {
    const from = `the log of ${data} begins at block ${oldest.firstSeq}`;
    throw new BackupError(
      `${from}, but the backup in ${to} ends at block ${last.seq}, so it cannot be ` +
        `continued. ${ELSEWHERE}`,
    );
  }
  const same = reached.seq === last.seq ? last : await chainUpTo(kept, reached.seq);
  // Of what the backup no longer reaches back to, nothing can be said but that there is less of it.
  if (same !== undefined && same.crc !== reached.crc) {
    throw new BackupError(
      `${to} is a backup of another log: its block ${reached.seq} differs from the one in ` +
        `${data}. ${ELSEWHERE}`,
    );
  }
  if (reached.seq < last.seq) {
    throw new BackupError(
      `${data} is older than its backup: it ends at block ${reached.seq}, but ${to} has ` +
        `blocks up to ${last.seq}. ${ELSEWHERE}`,
    );
  }
}

const ELSEWHERE = 'Use a new folder for this backup';

async function segmentsOf(backup: string): Promise<readonly Segment[]> {
  try {
    return await readSegments(join(backup, 'journal'));
  } catch (cause) {
    const isGone = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (!isGone && !(cause instanceof JournalDamagedError)) throw cause;
    const what =
      cause instanceof JournalDamagedError ? `${cause.file} is damaged` : 'it has no log';
    throw new BackupError(`${backup} is not a complete backup: ${what}. ${ELSEWHERE}`, { cause });
  }
}

/** The last record that can be read, of those up to a number; undefined when the log begins behind it. */
async function chainUpTo(
  segments: readonly Segment[],
  untilSeq: number,
): Promise<Chain | undefined> {
  const segment = segments.findLast(({ header }) => header.before.seq <= untilSeq);
  if (segment === undefined) return undefined;
  const source = await openSegment(segment.path, segment.firstSeq);
  if (source === undefined)
    throw new BackupError(`${segment.path} was removed while it was being read`);
  try {
    const { bytes, endOffset, header } = source;
    return (await scanRecords(bytes, header, { endOffset, untilSeq }, () => undefined)).chain;
  } finally {
    await source.close();
  }
}
