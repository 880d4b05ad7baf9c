import type { LogEntry, LoggedCommand } from '@oddlot/replica/block';
import { setTimeout as later } from 'node:timers/promises';
import type { BlockStream } from './block-stream.ts';
import { JournalFullError } from '@oddlot/host/durable';
import { assert } from '@oddlot/units';
import type { OrderedBlock } from '@oddlot/replica/log/segment-writer';
import type { FileJournal } from '@oddlot/replica/log/file-journal';

/** A block that this process has sent to the stream but not read back yet. */
export type SentBlock = {
  readonly commands: readonly LoggedCommand[];
  readonly proposal: string;
  readonly sinceMs: number;
  readonly data: Buffer;
  /**
   * Incremented when a block is resent after it was read out of turn, so that the servers do not
   * treat it as a duplicate.
   */
  attempt: number;
  isEarly: boolean;
  readonly resolve: (entry: LogEntry) => void;
  readonly reject: (error: unknown) => void;
};

/** How much larger than its block a message can be, at most. */
const HEADER_BYTES_MAX = 1_024;

export function sizeFault(bytes: number, messageBytesMax: number): RangeError | undefined {
  const bytesMax = messageBytesMax - HEADER_BYTES_MAX;
  if (bytes <= bytesMax) return undefined;
  return new RangeError(`the block has ${bytes} bytes, but the servers accept at most ${bytesMax}`);
}

type Sending = {
  readonly stream: Pick<BlockStream, 'publish'>;
  /** Returns how far the stream has been read, for the header of the block. */
  readonly readPosition: () => string | undefined;
  /**
   * Returns false once the block has been read or rejected, or while another attempt is sending it.
   */
  readonly isAwaited: () => boolean;
  readonly onConfirmed: () => void;
};

const AGAIN_AFTER_MS = 200;
/** The first attempts have a shorter timeout. Together they take about as long as one election. */
const QUICK_TRIES = 8;
const QUICK_TRY_MS = 1_000;
const UNREAD_MS = 5_000;

/**
 * Sends a block until a server confirms it, and waits until it is read. Returns true if it does not
 * arrive and must be sent under another id: a server confirms a message with a known id, even if
 * the message was lost with an earlier leader. A block that arrives twice counts once.
 */
export async function sendBlock(sent: SentBlock, sending: Sending): Promise<boolean> {
  const { isAwaited, onConfirmed, stream, readPosition } = sending;
  const { attempt, data, proposal } = sent;
  for (let tries = 0; isAwaited(); tries += 1) {
    try {
      // A message sent during an election is lost. With a short timeout, the next leader is reached
      // soon.
      const timeLimit = tries < QUICK_TRIES ? { timeoutMs: QUICK_TRY_MS } : {};
      await stream.publish(`${proposal}:${attempt}`, {
        data,
        readPosition: readPosition(),
        ...timeLimit,
      });
      onConfirmed();
      await later(UNREAD_MS, undefined, { ref: false });
      // A block that was read too early is resent after its predecessors.
      return isAwaited() && !sent.isEarly;
    } catch {
      // It is unknown whether the block was stored, so it is resent with the same id, indefinitely.
      await later(AGAIN_AFTER_MS);
    }
  }
  return false;
}

/** The maximum number of blocks waiting for the local disk. Reading pauses when there are more. */
const UNCOPIED_MAX = 256;
const RETRY_SPACE_MS = 1_000;

/** A block that was read. `sent` is set if this replica sent it. */
type Uncopied = { readonly block: OrderedBlock; readonly sent: SentBlock | undefined };

/**
 * Blocks on their way from the stream to a replica's files, in order. Blocks from the stream cannot
 * be rejected, so the replica waits if there is no disk space.
 */
export class CopyQueue {
  readonly #copy: Pick<FileJournal, 'copy'>;
  readonly #onFatal: (error: unknown) => void;
  readonly #uncopied: Uncopied[] = [];
  #roomWaiters: (() => void)[] = [];
  #isOutOfSpace = false;

  constructor(copy: Pick<FileJournal, 'copy'>, onFatal: (error: unknown) => void) {
    this.#copy = copy;
    this.#onFatal = onFatal;
  }

  get isEmpty(): boolean {
    return this.#uncopied.length === 0;
  }

  get isFull(): boolean {
    return this.#uncopied.length >= UNCOPIED_MAX;
  }

  /**
   * Adds a block. If this returns a promise, the next block must not be read before it resolves.
   */
  add(uncopied: Uncopied): Promise<void> | undefined {
    this.#uncopied.push(uncopied);
    if (!this.#isOutOfSpace) this.#write(uncopied);
    if (!this.isFull) return undefined;
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  #write(uncopied: Uncopied): void {
    const onCopied = (entry: LogEntry): void => {
      assert(this.#uncopied.shift() === uncopied, 'blocks are copied in order');
      uncopied.sent?.resolve(entry);
      if (this.isFull) return;
      for (const wake of this.#roomWaiters.splice(0)) wake();
    };
    this.#copy.copy(uncopied.block).then(onCopied, (error: unknown) => {
      if (error instanceof JournalFullError) this.#waitForSpace();
      else this.#onFatal(error);
    });
  }

  #waitForSpace(): void {
    if (this.#isOutOfSpace) return;
    this.#isOutOfSpace = true;
    setTimeout(() => {
      this.#isOutOfSpace = false;
      for (const uncopied of this.#uncopied) this.#write(uncopied);
    }, RETRY_SPACE_MS).unref();
  }
}
