import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import {
  decodeProgress,
  dumpHistory,
  readJournal,
  replayInto,
  sqliteFault,
  sqliteShape,
} from '@oddlot/venue/inspect';
import type { Located } from './report.ts';

const FILE = 'history.sqlite';
const SUFFIXES = ['', '-wal'];
const LINE_CHARACTERS_MAX = 200;

type StoreCheck = { readonly findings: readonly Located[]; readonly harmless: readonly Located[] };
const STANDS: StoreCheck = { findings: [], harmless: [] };

/**
 * The history of a folder, row by row and receipt by receipt, against one that is computed from the log here. A database is
 * opened on a copy, since whoever opens it writes to it.
 */
export async function verifyStore(
  { data, scratch }: { readonly data: string; readonly scratch: string },
  { hasPruned, height }: { readonly height: number; readonly hasPruned: boolean },
): Promise<StoreCheck> {
  const file = join(data, FILE);
  if (!existsSync(file)) return STANDS;
  for (const suffix of SUFFIXES) {
    if (existsSync(file + suffix)) await cp(file + suffix, join(scratch, FILE + suffix));
  }
  const copy = join(scratch, FILE);
  let stored: readonly string[];
  try {
    const fault = sqliteFault(copy);
    if (fault !== undefined) return wrong({ file, what: `SQLite reports: ${fault}` });
    const rows = await dumpHistory({ file: copy });
    // Tables of an earlier release are brought up to date by opening them.
    stored = [...rows, ...sqliteShape(copy)];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return wrong({ file, what: `cannot be read: ${why}` });
  }
  const place = { file: join(scratch, 'computed.sqlite') };
  const log = await readJournal(join(data, 'journal'), height);
  await replayInto({ data: scratch, place }, log);
  const computed = [...(await dumpHistory(place)), ...sqliteShape(place.file)];
  return differences(file, stored, computed, hasPruned);
}

/** How far it has come and how many rows it has, which it keeps for itself. */
const PROGRESS = /^progress /;

function differences(
  file: string,
  stored: readonly string[],
  computed: readonly string[],
  hasPruned: boolean,
): StoreCheck {
  const own = new Set(computed);
  const theirs = new Set(stored);
  const foreign = stored.find((line) => !own.has(line) && !PROGRESS.test(line));
  if (foreign !== undefined) {
    return wrong({ file, what: `a row does not follow from the log: ${brief(foreign)}` });
  }
  if (stored.length !== theirs.size) return wrong({ file, what: 'a row is stored twice' });
  const missing = computed.find((line) => !theirs.has(line) && !PROGRESS.test(line));
  if (missing !== undefined && !hasPruned) {
    return wrong({ file, what: `a row that follows from the log is missing: ${brief(missing)}` });
  }
  const [counts = ''] = stored.filter((line) => PROGRESS.test(line));
  const [anew = ''] = computed.filter((line) => PROGRESS.test(line));
  try {
    if (countsOf(counts) === countsOf(anew)) return STANDS;
  } catch (error) {
    return wrong({ file, what: error instanceof Error ? error.message : String(error) });
  }
  const what = `its row counts differ from those in the recomputed history: ${brief(counts)}`;
  return { findings: [], harmless: [{ file, what }] };
}

/** Kinds of rows in whichever order they first came. Throws where the checksum of the line is another. */
function countsOf(line: string): string {
  const [, text = '', crc] = /^progress \d+ (.*) (\d+)$/.exec(line) ?? [];
  const { height, rows } = decodeProgress({ text, crc: Number(crc) });
  return `${height} ${JSON.stringify(Object.entries(rows).toSorted())}`;
}

function wrong(located: Located): StoreCheck {
  return { findings: [located], harmless: [] };
}

function brief(line: string): string {
  return line.length <= LINE_CHARACTERS_MAX ? line : `${line.slice(0, LINE_CHARACTERS_MAX)}…`;
}
