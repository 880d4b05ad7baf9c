import { setImmediate as nextTurn, setTimeout as later } from 'node:timers/promises';
import { type Finding, FindingError, findingText, NotYetError } from '../checks/finding.ts';
import type { AuditedReplica } from '../replica/audited-replica.ts';
import type { BlockHead, LogEntry } from '@oddlot/replica/block';

type LogFollowerOptions = {
  readonly source: LogSource;
  readonly replica: Pick<AuditedReplica, 'compare' | 'replica' | 'take'>;
  /** The interval between requests once the end of the log has been reached, in milliseconds. */
  readonly everyMs?: number;
  /** Called between blocks. The next block is applied once it resolves. */
  readonly onApplied?: (() => Promise<void> | undefined) | undefined;
  readonly onFinding?: ((finding: Finding) => void) | undefined;
  /** Called when the reason for waiting changes. */
  readonly onWaits?: ((why: string | undefined) => void) | undefined;
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: () => number;
};

const EVERY_MS = 200;
const AGAIN_MS = 1_000;
/**
 * The follower yields to the event loop after this many milliseconds, so that signature requests
 * are served in between.
 */
const SLICE_MS = 20;

/** Follows a log into an audited replica until a finding. */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  readonly #stopping = new AbortController();
  readonly #waiters = new Set<() => void>();
  #finding: Finding | undefined;
  #waits: string | undefined = 'no block of the log has been read yet';
  #headHeight = 0;
  #ended: Promise<void> | undefined;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
  }

  /** The first finding. No blocks are applied after it. */
  get finding(): Finding | undefined {
    return this.#finding;
  }

  /** The reason for waiting; undefined while blocks are being applied. */
  get waits(): string | undefined {
    return this.#waits;
  }

  /** How many blocks the replica is behind the venue's reported head. */
  get lag(): number {
    return Math.max(0, this.#headHeight - this.#options.replica.replica.head.height);
  }

  start(): void {
    this.#ended ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#ended;
  }

  /** Resolves with the next applied block, with a finding, or after the timeout. */
  async progress(ms: number): Promise<void> {
    if (this.#finding !== undefined || this.#isStopped) return;
    const ended = new AbortController();
    await Promise.race([
      new Promise<void>((resolve) => this.#waiters.add(resolve)),
      later(ms, undefined, { signal: ended.signal }).catch(() => undefined),
    ]);
    ended.abort();
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    const { everyMs = EVERY_MS } = this.#options;
    while (!this.#isStopped && this.#finding === undefined) {
      try {
        const hasMore = await this.#step();
        this.#reportWaits(undefined);
        if (!hasMore) await this.#pause(everyMs);
      } catch (error) {
        if (this.#isStopped) return;
        if (error instanceof FindingError) this.#find(error.finding);
        else {
          const why = error instanceof Error ? error.message : String(error);
          this.#reportWaits(error instanceof NotYetError ? why : `the log cannot be read: ${why}`);
          await this.#pause(AGAIN_MS);
        }
      }
    }
  }

  /** Reads a page and applies it. Returns true if more may be available immediately. */
  async #step(): Promise<boolean> {
    const { now = () => performance.now(), onApplied, replica, source } = this.#options;
    const from = replica.replica.head.height + 1;
    const { entries, head } = await source.page(from, this.#stopping.signal);
    this.#headHeight = head.height;
    let sliceMs = now();
    for (const entry of entries) {
      if (this.#isStopped) return false;
      await replica.take(entry);
      this.#wake();
      const pause = onApplied?.();
      if (pause !== undefined) await pause;
      if (now() - sliceMs < SLICE_MS) continue;
      await nextTurn();
      sliceMs = now();
    }
    replica.compare(head);
    if (head.height < replica.replica.head.height) {
      throw new NotYetError(
        `the venue's log ends at block ${head.height}, but this validator has already read ` +
          `block ${replica.replica.head.height}`,
      );
    }
    return entries.length > 0;
  }

  #find(finding: Finding): void {
    this.#finding = finding;
    this.#reportWaits(findingText(finding));
    this.#options.onFinding?.(finding);
    this.#wake();
  }

  #reportWaits(why: string | undefined): void {
    if (why === this.#waits) return;
    this.#waits = why;
    this.#options.onWaits?.(why);
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  async #pause(ms: number): Promise<void> {
    await later(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

export type LogPage = {
  /** The blocks in order, starting with the requested one; empty at the end of the log. */
  readonly entries: readonly LogEntry[];
  /** The newest block that the venue reports as applied. */
  readonly head: Pick<BlockHead, 'hash' | 'height'>;
};

/** A source of a venue's log, which is not trusted. */
export type LogSource = {
  /** Returns a page of the log. Throws if the log is unavailable or invalid. */
  page(fromSeq: number, signal: AbortSignal): Promise<LogPage>;
};

/**
 * Returns access to the first block only, which is all a replica needs if it gets its blocks one by
 * one.
 */
export function beginningOf(source: LogSource): Parameters<typeof AuditedReplica.open>[0]['log'] {
  return {
    firstSeq: 1,
    lastSeq: Number.MAX_SAFE_INTEGER,
    async replay(fromSeq: number, apply: (entry: LogEntry) => unknown): Promise<void> {
      const { entries } = await source.page(fromSeq, new AbortController().signal);
      if (entries[0] !== undefined) await apply(entries[0]);
    },
  };
}
