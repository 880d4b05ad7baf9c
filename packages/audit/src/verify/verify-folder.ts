import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeFolder } from '@oddlot/host/durable';
import { NETWORKS } from '@oddlot/protocol';
import {
  type BlockPlace,
  inspectJournal,
  JournalDamagedError,
  readJournal,
  readServiceNames,
} from '@oddlot/venue/inspect';
import { createTextHasher, EraStore, type LogEntry, SnapshotStore } from '@oddlot/venue/replay';
import { noCounts } from '../checks/command-checker.ts';
import { FindingError } from '../checks/finding.ts';
import type { Policy } from '../checks/policy.ts';
import { AuditedReplica } from '../replica/audited-replica.ts';
import { AttestedContents } from './attested-contents.ts';
import { believedCounts } from './believed-counts.ts';
import { KeptStates } from './kept-states.ts';
import type { Located, VerifyReport } from './report.ts';
import { verifyChainFile } from './verify-chain-file.ts';
import { verifyStore } from './verify-store.ts';

type VerifyOptions = {
  /** A data folder that no venue runs on. Nothing in it is changed. */
  readonly data: string;
  /** Rows and receipts are dropped after some time (`historyKeep`, `receiptsKeptMs`): those that are missing are no finding. */
  readonly hasPruned?: boolean;
  readonly now: () => number;
  readonly onProgress?: (height: number) => void;
};

/**
 * Looks through a data folder and believes nothing of it: every byte of the log is read, every command derived again from the
 * request that was signed, every block applied by an engine of its own; snapshots, starts of eras, rows and receipts are held against
 * what came out. Names the first block, file and byte that does not stand.
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
  readonly #believed: string[] = [];
  #replica: AuditedReplica | undefined;
  #earlierBlocks = 0;

  constructor(options: VerifyOptions, scratch: string) {
    this.#options = options;
    this.#scratch = scratch;
  }

  async run(): Promise<VerifyReport> {
    const { data, hasPruned = false } = this.#options;
    const states = await KeptStates.read(data);
    const end = await this.#replay(states);
    this.#findings.push(...states.findings, ...verifyChainFile(data));
    const head = this.#replica?.replica.head;
    // Rows follow from the log: where it does not stand there is nothing to hold them against.
    if (end !== undefined && end.firstSeq === 1) {
      const folders = { data, scratch: this.#scratch };
      const store = await verifyStore(folders, { height: end.lastSeq, hasPruned });
      this.#findings.push(...store.findings);
      this.#harmless.push(...store.harmless);
    } else if (end !== undefined) {
      this.#believed.push('rows and receipts: they can only be recomputed from a complete log');
    }
    const { counts = noCounts() } = this.#replica ?? {};
    this.#believed.push(...believedCounts(counts, this.#earlierBlocks));
    return {
      height: head?.height ?? 0,
      hash: head?.hash ?? '',
      findings: this.#findings,
      harmless: this.#harmless,
      believed: this.#believed,
      counts,
    };
  }

  /** Undefined where the log does not stand. */
  async #replay(states: KeptStates): Promise<{ firstSeq: number; lastSeq: number } | undefined> {
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

  async #open(first: LogEntry, states: KeptStates): Promise<AuditedReplica> {
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
      this.#believed.push(
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

/** A venue of test money may make some: its network says which it is. */
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
