import { readFileSync } from 'node:fs';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump } from '@oddlot/engine';
import { FileJournal } from '../../packages/replica/src/log/file-journal.ts';
import type { LogEntry, LoggedCommand } from '../../packages/replica/src/block.ts';
import { SnapshotStore } from '../../packages/replica/src/log/checked-stores.ts';
import { encodeSnapshot } from '../../packages/replica/src/snapshot-codec.ts';
import { unpackFolder } from '../fixtures/pack.ts';
import { temporaryData } from '../support/venue-process.ts';
import { ControlledReplica } from './controlled-replica.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');

/** The last block written by the earlier release. */
type Meta = { readonly height: number; readonly hash: string; readonly timeMs: number };

export class EarlierFolder {
  readonly meta: Meta;
  readonly #pack: string;

  constructor(format: string, { pack, meta }: { readonly pack: string; readonly meta: string }) {
    this.#pack = join(FIXTURES, format, pack);
    this.meta = JSON.parse(readFileSync(join(FIXTURES, format, meta), 'utf8')) as Meta;
  }

  async unpacked(): Promise<string> {
    const folder = await temporaryData();
    await unpackFolder(this.#pack, folder);
    return folder;
  }

  /**
   * Opens a folder at the time of its last block, and returns the resulting state, head and market
   * data.
   */
  async opening(folder: string): Promise<Seen> {
    const hand = await this.inHand(folder);
    hand.checkInvariants();
    const { hash, height } = hand.replica.head;
    const state = JSON.stringify(dump(hand.state));
    const markets = JSON.stringify(hand.markets.projections.map((each) => each.dump()));
    await hand.close();
    return { height, hash, state, markets };
  }

  inHand(folder?: string): Promise<ControlledReplica> {
    const nowMs = this.meta.timeMs;
    return ControlledReplica.open(folder === undefined ? { nowMs } : { folder, nowMs });
  }

  async entriesFrom(folder: string, fromSeq: number): Promise<LogEntry[]> {
    const journal = await this.#journal(folder);
    const entries: LogEntry[] = [];
    await journal.replay(fromSeq, (entry) => entries.push(entry));
    await journal.close();
    return entries;
  }

  async append(folder: string, commands: readonly LoggedCommand[]): Promise<void> {
    const journal = await this.#journal(folder);
    await journal.append(commands);
    await journal.close();
  }

  #journal(folder: string): Promise<FileJournal> {
    const clock = { nowMs: () => this.meta.timeMs };
    return FileJournal.open({ directory: join(folder, 'journal'), clock });
  }
}

export type Seen = {
  readonly height: number;
  readonly hash: string;
  readonly state: string;
  readonly markets: string;
};

export const PREVIOUS = new EarlierFolder('release-0.3.0', {
  pack: 'killed.pack.br',
  meta: 'meta.json',
});
/**
 * A folder created by release 0.1.0, then used by release 0.3.0 until it was killed. Its log begins
 * under rules version 1.
 */
export const CONTINUED = new EarlierFolder('release-0.3.0', {
  pack: 'upgraded.pack.br',
  meta: 'upgraded.json',
});

export async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryData();
  await cp(folder, copy, { recursive: true });
  return copy;
}

/** Returns the names of the stored start states of rules versions, oldest first. */
export async function eraFiles(folder: string): Promise<string[]> {
  return (await readdir(join(folder, 'eras')).catch(() => [])).sort();
}

/** Returns the contents of each start state: the state and the dumps of projections. */
export async function startsOf(folder: string): Promise<Readonly<Record<string, unknown>>[]> {
  const names = await eraFiles(folder);
  const texts = names.map((name) => readFile(join(folder, 'eras', name), 'utf8'));
  return (await Promise.all(texts)).map((text) => JSON.parse(text.slice(text.indexOf('\n') + 1)));
}

/**
 * Returns the start states without their dumps, which differ if the earlier engine started from one
 * of its own release's snapshots.
 */
export async function statesOf(folder: string): Promise<unknown[]> {
  return (await startsOf(folder)).map(({ head, rules, state }) => ({ head, rules, state }));
}

/** Writes a snapshot with a valid checksum and an arbitrary payload. */
export async function snapshot(folder: string, height: number, payload: unknown): Promise<void> {
  const isObject = typeof payload === 'object' && payload !== null && 'state' in payload;
  const pieces = isObject
    ? [...encodeSnapshot({ companions: {}, ...payload } as never)]
    : [Buffer.from(JSON.stringify(payload))];
  const store = new SnapshotStore({ directory: join(folder, 'snapshots') });
  await store.write({ height, pieces });
}
