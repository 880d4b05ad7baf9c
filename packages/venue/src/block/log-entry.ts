import type { Command } from '@oddlot/engine';

/** A command and, when a client sent it, the request as received: the log is also the audit trail. */
export type LoggedCommand = {
  readonly command: Command;
  /** The signed request, byte for byte. */
  readonly request?: string;
};

/** A durable block. */
export type LogEntry = {
  readonly seq: number;
  /** Milliseconds; never below the entry before. */
  readonly timeMs: number;
  readonly commands: readonly LoggedCommand[];
  /** What its proposer called it; told to those who follow, and not kept. */
  readonly proposal?: string;
};
