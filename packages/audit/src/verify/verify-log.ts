import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NETWORKS } from '@oddlot/protocol';
import { followRows } from '@oddlot/history/indexer/followed-models';
import type { BlockRows } from '@oddlot/history/rows/block-rows';
import type { BlockHead, LogEntry } from '@oddlot/replica/block';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { unverifiedLines, type Counts, noCounts, type Policy } from '../checks/command-checker.ts';
import { type Finding, FindingError } from '../checks/finding.ts';
import { beginningOf, type LogPage, type LogSource } from '../follow/log-follower.ts';
import { AuditedReplica } from '../replica/audited-replica.ts';

export type VerifyLogOptions = {
  readonly source: LogSource;
  /**
   * The network name that requests are signed for; by default, the shared name of test networks.
   */
  readonly serviceNetwork?: string | undefined;
  readonly formerNames?: readonly string[] | undefined;
  /** The hash of the first block, from a source other than the venue. */
  readonly genesis?: string | undefined;
  /** Blocks before this one are applied but not derived. */
  readonly from?: number | undefined;
  /** The last block. By default, the venue's newest block when verification starts. */
  readonly to?: number | undefined;
  readonly now: () => number;
  readonly onProgress?: ((height: number, of: number) => void) | undefined;
  /** Receives the history rows of each block. Computing them takes additional time. */
  readonly onRows?: ((rows: BlockRows) => void) | undefined;
  /** Compares an applied block with another source. Returns a finding if they differ. */
  readonly onHead?: ((head: BlockHead) => Promise<Finding | undefined> | undefined) | undefined;
  /** Returns true when the caller needs no further blocks. */
  readonly isDone?: (() => boolean) | undefined;
};

export type LogReport = {
  readonly height: number;
  readonly hash: string;
  readonly stateHash: string;
  /** The first error. No later block was applied. */
  readonly finding: Finding | undefined;
  /** The parts that were accepted without verification. */
  readonly believed: readonly string[];
  readonly counts: Readonly<Counts>;
};

/** Thrown if the log ends before the requested block. */
export class LogTooShortError extends Error {
  override readonly name = 'LogTooShortError';
}

/** The replay yields to the event loop after this many milliseconds. */
const SLICE_MS = 20;

/**
 * Replays the log of a running venue from its first block and verifies it independently. It derives
 * every command again from the signed request, applies every block with its own engine, and
 * compares the hashes that the venue reports. Throws if the log cannot be read.
 */
export async function verifyLog(options: VerifyLogOptions): Promise<LogReport> {
  const scratch = await mkdtemp(join(tmpdir(), 'oddlot-verify-'));
  try {
    return await new LogCheck(options, scratch).run();
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

class LogCheck {
  readonly #options: VerifyLogOptions;
  readonly #scratch: string;
  readonly #signal = new AbortController().signal;
  /** Reported hashes of blocks not applied yet. */
  readonly #reportedHashes = new Map<number, string>();
  #replica: AuditedReplica | undefined;
  #earlierBlocks = 0;
  #sliceMs = 0;

  constructor(options: VerifyLogOptions, scratch: string) {
    this.#options = options;
    this.#scratch = scratch;
  }

  async run(): Promise<LogReport> {
    let finding: Finding | undefined;
    try {
      await this.#replay();
    } catch (error) {
      if (!(error instanceof FindingError)) throw error;
      ({ finding } = error);
    }
    const { from = 1 } = this.#options;
    const { counts = noCounts() } = this.#replica ?? {};
    const head = this.#replica?.replica.head;
    return {
      height: head?.height ?? 0,
      hash: head?.hash ?? '',
      stateHash: head?.stateHash ?? '',
      finding,
      believed: [
        ...(from > 1 ? [`blocks before block ${from} (requests not checked): ${from - 1}`] : []),
        ...unverifiedLines(counts, this.#earlierBlocks),
      ],
      counts,
    };
  }

  async #replay(): Promise<void> {
    const { isDone = () => false, source, to } = this.#options;
    let page = await source.page(1, this.#signal);
    const [first] = page.entries;
    const last = to ?? page.head.height;
    if (first === undefined || page.head.height < last) {
      throw new LogTooShortError(`the log ends at block ${page.head.height}, before block ${last}`);
    }
    const replica = (this.#replica = await this.#open(first));
    for (;;) {
      await this.#take(page, last);
      const { height } = replica.replica.head;
      if (height >= last || isDone()) return;
      page = await source.page(height + 1, this.#signal);
      if (page.entries.length > 0) continue;
      const what = `the venue reports a log up to block ${last}, but returned no entries starting with this block`;
      throw new FindingError({ height: height + 1, what });
    }
  }

  async #take({ entries, head }: LogPage, last: number): Promise<void> {
    const { isDone = () => false, onHead, onProgress } = this.#options;
    const replica = this.#replica;
    this.#reportedHashes.set(head.height, head.hash);
    for (const entry of entries) {
      if (replica === undefined || entry.seq > last || isDone()) return;
      await replica.take(entry);
      if (replica.replica.isEarlier) this.#earlierBlocks++;
      const own = replica.replica.head;
      const reported = this.#reportedHashes.get(own.height);
      this.#reportedHashes.delete(own.height);
      if (reported !== undefined)
        replica.compare({ height: own.height, hash: reported as typeof own.hash });
      const asked = onHead?.(own);
      const differs = asked === undefined ? undefined : await asked;
      if (differs !== undefined) throw new FindingError(differs);
      onProgress?.(own.height, last);
      if (performance.now() - this.#sliceMs < SLICE_MS) continue;
      await nextTurn();
      this.#sliceMs = performance.now();
    }
  }

  async #open(first: LogEntry): Promise<AuditedReplica> {
    const { genesis, now, onRows, source } = this.#options;
    return await AuditedReplica.open({
      policy: policyOf(this.#options, first),
      log: beginningOf(source),
      snapshots: new SnapshotStore({ directory: join(this.#scratch, 'snapshots') }),
      eras: new EraStore({ directory: join(this.#scratch, 'eras') }),
      checkpoints: genesis === undefined ? [] : [{ height: 1, hash: genesis, by: 'genesis' }],
      now,
      draw: () => 0,
      onCreated: (replica) => {
        if (onRows !== undefined) followRows(replica, onRows);
      },
    });
  }
}

/**
 * Returns the policy for a log. A venue with test funds can grant them, and its network name shows
 * whether it has test funds.
 */
function policyOf(
  { formerNames, from, serviceNetwork }: VerifyLogOptions,
  { commands }: LogEntry,
): Policy {
  const genesis = commands.find(({ command }) => command.type === 'genesis')?.command;
  const network = genesis?.type === 'genesis' ? genesis.parameters.serviceNetwork : undefined;
  const shared = network ?? NETWORKS.testnet.serviceNetwork;
  return {
    serviceNetwork: serviceNetwork ?? shared,
    formerNames,
    appliesEarlier: true,
    venuePrices: true,
    testMoney: shared !== NETWORKS.mainnet.serviceNetwork,
    sampleOneIn: 1,
    derivedFrom: from,
  };
}
