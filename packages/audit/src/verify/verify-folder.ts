import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeFolder } from '@oddlot/host/durable';
import { NETWORKS } from '@oddlot/protocol';
import { replayInto } from '@oddlot/history/rebuild-history';
import { dumpHistory } from '@oddlot/history/store/dump-history';
import { decodeProgress } from '@oddlot/history/store/history-store';
import { sqliteFault, sqliteShape } from '@oddlot/history/store/sqlite-driver';
import { readServiceNames } from '@oddlot/replica/log/data-folder';
import { type BlockPlace, inspectJournal } from '@oddlot/replica/log/inspect-journal';
import { readJournal } from '@oddlot/replica/log/journal-reader';
import { JournalDamagedError } from '@oddlot/replica/log/log';
import { ContentHasher, encodeSnapshot } from '@oddlot/replica/snapshot-codec';
import type { LogEntry } from '@oddlot/replica/block';
import { createTextHasher } from '@oddlot/replica/block-hash';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { unverifiedLines, noCounts, type Policy } from '../checks/command-checker.ts';
import { FindingError } from '../checks/finding.ts';
import { AuditedReplica } from '../replica/audited-replica.ts';
import { StoredStates } from './stored-states.ts';
import type { Located, VerifyReport } from './report.ts';
import { CHAIN_LINES } from '@oddlot/devchain/chain-lines';
import { holderOf, isDirectoryLocked } from '@oddlot/host/directory-lock';

type VerifyOptions = {
  /** A data folder that is not in use by a venue. It is not changed. */
  readonly data: string;
  /**
   * True if rows and receipts are dropped after some time (`historyKeep`, `receiptsKeptMs`);
   * missing ones are then not a finding.
   */
  readonly hasPruned?: boolean;
  readonly now: () => number;
  readonly onProgress?: (height: number) => void;
};

/**
 * Verifies a data folder independently. It reads every byte of the log, derives every command again
 * from the signed request, and applies every block with its own engine. Snapshots, start states,
 * rows and receipts are compared with the result. The report contains the first invalid block, file
 * and byte.
 */
export async function verifyFolder(options: VerifyOptions): Promise<VerifyReport> {
  const scratch = await mkdtemp(join(tmpdir(), 'oddlot-verify-'));
  try {
    return await new FolderCheck(options, scratch).run();
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

class FolderCheck {
  readonly #options: VerifyOptions;
  readonly #scratch: string;
  readonly #findings: Located[] = [];
  readonly #harmless: Located[] = [];
  readonly #unverified: string[] = [];
  #replica: AuditedReplica | undefined;
  #earlierBlocks = 0;

  constructor(options: VerifyOptions, scratch: string) {
    this.#options = options;
    this.#scratch = scratch;
  }

  async run(): Promise<VerifyReport> {
    const { data, hasPruned = false } = this.#options;
    const states = await StoredStates.read(data);
    const end = await this.#replay(states);
    this.#findings.push(...states.findings, ...verifyChainFile(data));
    const head = this.#replica?.replica.head;
    // Rows are derived from the log, so there is nothing to compare them with if the log is
    // invalid.
    if (end !== undefined && end.firstSeq === 1) {
      const folders = { data, scratch: this.#scratch };
      const store = await verifyStore(folders, { height: end.lastSeq, hasPruned });
      this.#findings.push(...store.findings);
      this.#harmless.push(...store.harmless);
    } else if (end !== undefined) {
      this.#unverified.push('rows and receipts: they can only be recomputed from a complete log');
    }
    const { counts = noCounts() } = this.#replica ?? {};
    this.#unverified.push(...unverifiedLines(counts, this.#earlierBlocks));
    return {
      height: head?.height ?? 0,
      hash: head?.hash ?? '',
      findings: this.#findings,
      harmless: this.#harmless,
      believed: this.#unverified,
      counts,
    };
  }

  /** Replays the log. Returns undefined if the log is invalid. */
  async #replay(states: StoredStates): Promise<{ firstSeq: number; lastSeq: number } | undefined> {
    const { data, onProgress } = this.#options;
    const directory = join(data, 'journal');
    if (!existsSync(directory)) {
      this.#findings.push({ file: directory, what: 'the log is missing' });
      return undefined;
    }
    const hashText = await createTextHasher();
    const contents = await AttestedContents.read(directory);
    let at: BlockPlace | undefined;
    try {
      const end = await inspectJournal(directory, async (entry, place) => {
        at = place;
        states.compareAttested(entry);
        const replica = (this.#replica ??= await this.#open(entry, states));
        if (entry.seq <= replica.replica.head.height) return;
        states.compareOpening(entry, hashText);
        await replica.take(entry);
        contents.compare(replica.replica);
        const { head, isEarlier, state } = replica.replica;
        if (isEarlier) this.#earlierBlocks++;
        states.compare(head, isEarlier ? undefined : state);
        onProgress?.(entry.seq);
      });
      this.#findings.push(...end.altered, ...contents.findings);
      this.#harmless.push(...end.harmless);
      states.beyond(end.lastSeq);
      return end;
    } catch (error) {
      this.#findings.push(locatedOf(error, at));
      return undefined;
    }
  }

  async #open(first: LogEntry, states: StoredStates): Promise<AuditedReplica> {
    const { data, now } = this.#options;
    const snapshots = join(this.#scratch, 'snapshots');
    makeFolder(snapshots);
    if (first.seq > 1) {
      const base = states.oldestFrom(first.seq - 1);
      if (base === undefined) {
        const what =
          `the log begins with this block, but there is no snapshot of block ${first.seq - 1} ` +
          'or later';
        throw new FindingError({ height: first.seq, what });
      }
      await cp(base.file, join(snapshots, basename(base.file)));
      this.#unverified.push(
        `everything up to block ${base.height}: that part of the log was removed, and ${base.file} is trusted instead`,
      );
    }
    const replica = await AuditedReplica.open({
      policy: policyOf(data, first),
      log: await readJournal(join(data, 'journal'), first.seq),
      snapshots: new SnapshotStore({ directory: snapshots }),
      eras: new EraStore({ directory: join(this.#scratch, 'eras') }),
      now,
      draw: () => 0,
      onPassedOver: (what, why) =>
        this.#findings.push({ file: snapshots, what: `${what}: ${why}` }),
    });
    if (replica.replica.head.height >= first.seq - 1) return replica;
    const what = 'the log begins with this block, but the snapshot before it cannot be used';
    throw new FindingError({ height: first.seq, what });
  }
}

function locatedOf(error: unknown, at: BlockPlace | undefined): Located {
  if (error instanceof JournalDamagedError) {
    const { file, message, offset, seq } = error;
    return { file, offset, block: seq, what: message };
  }
  if (error instanceof FindingError && at !== undefined) {
    return { ...at, block: error.finding.height, what: error.message };
  }
  const what = error instanceof Error ? error.message : String(error);
  return at === undefined ? { file: 'journal', what } : { ...at, what };
}

/**
 * Returns the policy for a folder. A venue with test funds can grant them, and its network name
 * shows whether it has test funds.
 */
function policyOf(data: string, { commands }: LogEntry): Policy {
  const genesis = commands.find(({ command }) => command.type === 'genesis')?.command;
  const network = genesis?.type === 'genesis' ? genesis.parameters.serviceNetwork : undefined;
  const { former, name } = readServiceNames(data);
  const shared = network ?? NETWORKS.testnet.serviceNetwork;
  return {
    serviceNetwork: name ?? shared,
    formerNames: name === undefined ? former : [...former, shared],
    appliesEarlier: true,
    venuePrices: true,
    testMoney: shared !== NETWORKS.mainnet.serviceNetwork,
    sampleOneIn: 1,
  };
}

/** An attestation, and the number and position of the block that contains it. */
type Claim = { readonly seq: number; readonly place: BlockPlace; readonly content: string };

/** The snapshot contents attested in a log, to be compared with the state after its blocks. */
class AttestedContents {
  readonly findings: Located[] = [];
  readonly #claims = new Map<number, Claim[]>();
  readonly #hasher: ContentHasher;

  private constructor(hasher: ContentHasher) {
    this.#hasher = hasher;
  }

  /** Reads the whole log, because an attestation comes after its block. */
  static async read(directory: string): Promise<AttestedContents> {
    const contents = new AttestedContents(await ContentHasher.create());
    try {
      await inspectJournal(directory, (entry, place) => contents.#add(entry, place));
    } catch (error) {
      // The replay stops at the same byte and reports it.
      if (!(error instanceof JournalDamagedError)) throw error;
    }
    return contents;
  }

  /** Compares the state after a block with all attestations of its snapshot. */
  compare(replica: AuditedReplica['replica']): void {
    const { head, isEarlier } = replica;
    const claims = this.#claims.get(head.height);
    if (claims === undefined || isEarlier) return;
    const own = this.#contentOf(replica.payload());
    for (const { content, place, seq } of claims) {
      if (content === own) continue;
      const what = `the block attests content hash ${content} for the snapshot of block ${head.height}, but replaying the log gives ${own}`;
      this.findings.push({ ...place, block: seq, what });
    }
  }

  #contentOf(payload: ReturnType<AuditedReplica['replica']['payload']>): string {
    this.#hasher.begin(payload);
    for (const piece of encodeSnapshot(payload)) this.#hasher.add(piece);
    return this.#hasher.end();
  }

  #add({ commands, seq }: LogEntry, place: BlockPlace): void {
    for (const { command } of commands) {
      if (command.type !== 'attest' || command.snapshot === undefined) continue;
      const { height, snapshot: content } = command;
      const claims = this.#claims.get(height) ?? [];
      claims.push({ seq, place, content });
      this.#claims.set(height, claims);
    }
  }
}

const FILE = 'history.sqlite';
const SUFFIXES = ['', '-wal'];
const LINE_CHARACTERS_MAX = 200;

type StoreCheck = { readonly findings: readonly Located[]; readonly harmless: readonly Located[] };
const NO_FINDINGS: StoreCheck = { findings: [], harmless: [] };

/**
 * Compares a folder's history, row by row and receipt by receipt, with one computed from the log.
 * The database is copied first, because opening it writes to it.
 */
async function verifyStore(
  { data, scratch }: { readonly data: string; readonly scratch: string },
  { hasPruned, height }: { readonly height: number; readonly hasPruned: boolean },
): Promise<StoreCheck> {
  const file = join(data, FILE);
  if (!existsSync(file)) return NO_FINDINGS;
  for (const suffix of SUFFIXES) {
    if (existsSync(file + suffix)) await cp(file + suffix, join(scratch, FILE + suffix));
  }
  const copy = join(scratch, FILE);
  let stored: readonly string[];
  try {
    const fault = sqliteFault(copy);
    if (fault !== undefined) return wrong({ file, what: `SQLite reports: ${fault}` });
    const rows = await dumpHistory({ file: copy });
    // Opening the database migrates tables from an earlier release.
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

/** Matches the line with the indexer's own progress: its height and row counts. */
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
    if (countsOf(counts) === countsOf(anew)) return NO_FINDINGS;
  } catch (error) {
    return wrong({ file, what: error instanceof Error ? error.message : String(error) });
  }
  const what = `its row counts differ from those in the recomputed history: ${brief(counts)}`;
  return { findings: [], harmless: [{ file, what }] };
}

/**
 * Returns the row counts sorted by name, because their order in the line is arbitrary. Throws if
 * the checksum does not match.
 */
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

/**
 * Verifies the file of the local settlement chain, in which the checksum of each line continues the
 * previous one.
 */
function verifyChainFile(data: string): readonly Located[] {
  const file = join(data, 'chain', 'chain.log');
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  let before: ReturnType<typeof CHAIN_LINES.read> | undefined;
  for (let offset = 0; offset < bytes.length;) {
    const end = bytes.indexOf('\n', offset);
    if (end < 0) return [{ file, offset, what: 'the last line is incomplete, as after a crash' }];
    const line = bytes.toString('utf8', offset, end);
    const read = CHAIN_LINES.read(line, before);
    // Invalid UTF-8 is decoded to other bytes and must not be accepted.
    if (!read.isRight || !Buffer.from(line).equals(bytes.subarray(offset, end))) {
      return [{ file, offset, what: 'the checksum of the line does not match' }];
    }
    before = read;
    offset = end + 1;
  }
  return [];
}

/**
 * Returns why a folder cannot be verified, or undefined if it can. A folder that a venue is writing
 * to would appear damaged.
 */
export function folderRefusal(data: string): string | undefined {
  if (!existsSync(join(data, 'journal'))) return `${data} is not a data folder: it has no journal`;
  if (!isDirectoryLocked(data)) return undefined;
  const pid = holderOf(data);
  const holder = pid === undefined ? 'another process' : `process ${pid}`;
  return `${data} is in use by ${holder}. Stop the venue first`;
}
