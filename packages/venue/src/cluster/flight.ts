import type { LogEntry, LoggedCommand } from '../block/log-entry.ts';

/** A block of this process on its way through the stream. */
export type Flight = {
  readonly commands: readonly LoggedCommand[];
  readonly proposal: string;
  readonly sinceMs: number;
  readonly data: Buffer;
  /** Sent again after it was read out of turn, which the servers must not take for the same message. */
  attempt: number;
  isEarly: boolean;
  readonly resolve: (entry: LogEntry) => void;
  readonly reject: (error: unknown) => void;
};
