import type { LogEntry, LoggedCommand } from '../block/log-entry.ts';

export type ReplayOptions = {
  /** Also reads the requests that clients sent: receipts speak in their words. */
  readonly withRequests?: boolean;
  /** Ends here, and not with the last durable entry. */
  readonly untilSeq?: number;
};

/**
 * The command log: the only truth of a venue. It orders blocks, gives each its number and time, and
 * makes it durable. The file journal implements it for one machine; a replicated stream can for many.
 */
export interface Log {
  /** The number of the last durable entry; 0 when the log is empty. */
  readonly lastSeq: number;
  /** Hands over the durable entries from `fromSeq` on, in order, as they stand on disk now. */
  replay(fromSeq: number, apply: (entry: LogEntry) => void, options?: ReplayOptions): Promise<void>;
  /**
   * Makes the follower of everything appended from now on. Entries arrive in order, each after it is
   * durable and before its `append` resolves.
   */
  follow(apply: (entry: LogEntry) => void): void;
  /** Appends a block. Resolves when it is durable; acknowledged means this and nothing less. */
  append(commands: readonly LoggedCommand[]): Promise<LogEntry>;
  /** Drops whole segments below a number that a snapshot covers. */
  prune(belowSeq: number): Promise<void>;
  /** Waits for what is under way, then lets go of the files. */
  close(): Promise<void>;
}
