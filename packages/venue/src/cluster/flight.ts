import type { LogEntry, LoggedCommand } from '../block/block.ts';

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

/** Of a message, in addition to the block. */
const HEADER_BYTES_MAX = 1_024;

/** Why servers that take messages up to a size would refuse a block. */
export function sizeFault(bytes: number, messageBytesMax: number): RangeError | undefined {
  const bytesMax = messageBytesMax - HEADER_BYTES_MAX;
  if (bytes <= bytesMax) return undefined;
  return new RangeError(`the block has ${bytes} bytes, but the servers accept ${bytesMax}`);
}
