import { setImmediate as nextTurn, setTimeout as later } from 'node:timers/promises';
import { type Finding, FindingError, findingText, NotYetError } from '../checks/finding.ts';
import type { AuditedReplica } from '../replica/audited-replica.ts';
import type { BlockHead, LogEntry } from '@oddlot/replica/block';

type LogFollowerOptions = {
  readonly source: LogSource;
  readonly replica: Pick<AuditedReplica, 'compare' | 'replica' | 'take'>;
  /** How long it waits before it asks again a log that had no more. */
  readonly everyMs?: number;
  /** Called between blocks; nothing is applied until it is done. */
  readonly onApplied?: (() => Promise<void> | undefined) | undefined;
  readonly onFinding?: ((finding: Finding) => void) | undefined;
  /** Called when the reason for which it waits has changed. */
  readonly onWaits?: ((why: string | undefined) => void) | undefined;
  /** Milliseconds of some clock that never goes back. */
  readonly now?: () => number;
};

const EVERY_MS = 200;
const AGAIN_MS = 1_000;
/** Others have their turn after so long: signatures are asked for meanwhile. */
const SLICE_MS = 20;

/** Follows a log into a replica that believes nobody, until something does not stand. */
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

  /** What does not stand; nothing is applied any more. */
  get finding(): Finding | undefined {
    return this.#finding;
  }

  /** Why it stands still; undefined while it goes on. */
  get waits(): string | undefined {
    return this.#waits;
  }

  /** How many blocks the venue says that it has more. */
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

  /** Resolves with the next block that is applied, with a finding, or after so long. */
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
        this.#tellWaits(undefined);
        if (!hasMore) await this.#pause(everyMs);
      } catch (error) {
        if (this.#isStopped) return;
        if (error instanceof FindingError) this.#find(error.finding);
        else {
          const why = error instanceof Error ? error.message : String(error);
          this.#tellWaits(error instanceof NotYetError ? why : `the log cannot be read: ${why}`);
          await this.#pause(AGAIN_MS);
        }
      }
    }
  }

  /** Reads a page and applies it; true when there may be more at once. */
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
    this.#tellWaits(findingText(finding));
    this.#options.onFinding?.(finding);
    this.#wake();
  }

  #tellWaits(why: string | undefined): void {
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

/** What a venue gives of its log at once. */
export type LogPage = {
  /** In order, from the one that was asked for; none where it has no more. */
  readonly entries: readonly LogEntry[];
  /** The newest block that it says it has applied. */
  readonly head: Pick<BlockHead, 'hash' | 'height'>;
};

/** Where the log of a venue is read, and nothing of it believed. */
export type LogSource = {
  /** Throws where it can't be had, or is no log. */
  page(fromSeq: number, signal: AbortSignal): Promise<LogPage>;
};

/** What a replica has to look up in a log that it is given block by block: the first one alone. */
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
