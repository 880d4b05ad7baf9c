import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NETWORKS } from '@oddlot/protocol';
import { followRows } from '@oddlot/history/indexer/followed-models';
import type { BlockRows } from '@oddlot/history/rows/block-rows';
import type { BlockHead, LogEntry } from '@oddlot/replica/block';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { believedCounts, type Counts, noCounts, type Policy } from '../checks/command-checker.ts';
import { type Finding, FindingError } from '../checks/finding.ts';
import { beginningOf, type LogPage, type LogSource } from '../follow/log-follower.ts';
import { AuditedReplica } from '../replica/audited-replica.ts';

export type VerifyLogOptions = {
  readonly source: LogSource;
  /** The name that its requests are signed for; by default the one that play money of its network shares. */
  readonly serviceNetwork?: string | undefined;
  /** Names that it had before. */
  readonly formerNames?: readonly string[] | undefined;
  /** The hash of the first block, from somewhere else than the venue. */
  readonly genesis?: string | undefined;
  /** Blocks before this one are applied and not derived. */
  readonly from?: number | undefined;
  /** The last block; by default the newest one that the venue has when it is asked first. */
  readonly to?: number | undefined;
  readonly now: () => number;
  readonly onProgress?: ((height: number, of: number) => void) | undefined;
  /** What a block leaves in the history; more costs time where nobody wants them. */
  readonly onRows?: ((rows: BlockRows) => void) | undefined;
  /** What somebody else says of a block that was applied: why it does not stand, if so. */
  readonly onHead?: ((head: BlockHead) => Promise<Finding | undefined> | undefined) | undefined;
  /** True when whoever asks has seen enough. */
  readonly isDone?: (() => boolean) | undefined;
};

/** What came out of replaying the log of a venue. */
export type LogReport = {
  readonly height: number;
  readonly hash: string;
  readonly stateHash: string;
  /** The first that does not stand: nothing behind it was applied. */
  readonly finding: Finding | undefined;
  /** What had to be believed. */
  readonly believed: readonly string[];
  readonly counts: Readonly<Counts>;
};

/** The log ends before the block that was asked for. */
export class LogTooShortError extends Error {
  override readonly name = 'LogTooShortError';
}

/** Others have their turn after so long. */
const SLICE_MS = 20;

/**
 * Replays the log of a running venue from its first block and believes nothing of it: every command is derived again from
 * the request that was signed, every block applied by an engine of its own, and hashes that the venue tells are compared.
 * Throws where the log can't be read.
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
  /** Hashes that the venue told of blocks which are not applied yet. */
  readonly #told = new Map<number, string>();
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
        ...(from > 1
          ? [`${from - 1} blocks before block ${from}: applied, requests not checked`]
          : []),
        ...believedCounts(counts, this.#earlierBlocks),
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
      throw new LogTooShortError(`the log ends at block ${page.head.height}`);
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
    this.#told.set(head.height, head.hash);
    for (const entry of entries) {
      if (replica === undefined || entry.seq > last || isDone()) return;
      await replica.take(entry);
      if (replica.replica.isEarlier) this.#earlierBlocks++;
      const own = replica.replica.head;
      const told = this.#told.get(own.height);
      this.#told.delete(own.height);
      if (told !== undefined)
        replica.compare({ height: own.height, hash: told as typeof own.hash });
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

/** A venue of test money may make some: its network says which it is. */
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
