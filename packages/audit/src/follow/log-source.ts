import type { BlockHead, LogEntry } from '@oddlot/venue/replay';

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
