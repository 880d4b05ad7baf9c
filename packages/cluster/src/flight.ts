import type { LogEntry, LoggedCommand } from '@oddlot/replica/block';
import { setTimeout as later } from 'node:timers/promises';
import type { BlockStream } from './block-stream.ts';
import { JournalFullError } from '@oddlot/host/durable';
import { assert } from '@oddlot/units';
import type { OrderedBlock } from '@oddlot/replica/log/segment-writer';
import type { FileJournal } from '@oddlot/replica/log/file-journal';

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

type Sending = {
  readonly stream: Pick<BlockStream, 'publish'>;
  /** The part of the stream that has been read so far, for the header of the block. */
  readonly told: () => string | undefined;
  /** False once the block was read, was refused, or is sent by another attempt. */
  readonly isAwaited: () => boolean;
  readonly onConfirmed: () => void;
};

const AGAIN_AFTER_MS = 200;
/** The first tries of a block wait less long for the servers: about as many as an election takes. */
const QUICK_TRIES = 8;
const QUICK_TRY_MS = 1_000;
/** So long a block that was confirmed is waited for. */
const UNREAD_MS = 5_000;

/**
 * Sends a block until a server confirms it, and waits for it to be read. True where it does not come and must be sent under
 * another id: a server confirms a message whose id it knows, even one that was lost with an earlier leader. A block that comes
 * twice counts once.
 */
export async function sendFlight(flight: Flight, sending: Sending): Promise<boolean> {
  const { isAwaited, onConfirmed, stream, told } = sending;
  const { attempt, data, proposal } = flight;
  for (let tries = 0; isAwaited(); tries += 1) {
    try {
      // A message sent during an election is lost. A short timeout reaches the next leader soon.
      const patience = tries < QUICK_TRIES ? { timeoutMs: QUICK_TRY_MS } : {};
      await stream.publish(`${proposal}:${attempt}`, { data, told: told(), ...patience });
      onConfirmed();
      await later(UNREAD_MS, undefined, { ref: false });
      // One that is early goes when its turn comes.
      return isAwaited() && !flight.isEarly;
    } catch {
      // It may be stored or not: the same id is sent again, for as long as it takes.
      await later(AGAIN_AFTER_MS);
    }
  }
  return false;
}

/** Blocks that were read and wait for the disk here; beyond that reading waits too. */
const UNCOPIED_MAX = 256;
const ROOM_AGAIN_MS = 1_000;

/** A block that was read, and what of this replica waits for it. */
type Uncopied = { readonly block: OrderedBlock; readonly flight: Flight | undefined };

/**
 * Blocks on their way from the stream into the files of a replica, in order. What the stream has can't be refused: where the
 * disk has no room the replica stands still until there is some.
 */
export class CopyQueue {
  readonly #copy: Pick<FileJournal, 'copy'>;
  readonly #onFatal: (error: unknown) => void;
  readonly #uncopied: Uncopied[] = [];
  #roomWaiters: (() => void)[] = [];
  #isOutOfRoom = false;

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

  /** Where it returns a promise, the next one waits for it. */
  add(uncopied: Uncopied): Promise<void> | undefined {
    this.#uncopied.push(uncopied);
    if (!this.#isOutOfRoom) this.#write(uncopied);
    if (!this.isFull) return undefined;
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  #write(uncopied: Uncopied): void {
    const onCopied = (entry: LogEntry): void => {
      assert(this.#uncopied.shift() === uncopied, 'blocks are copied in order');
      uncopied.flight?.resolve(entry);
      if (this.isFull) return;
      for (const wake of this.#roomWaiters.splice(0)) wake();
    };
    this.#copy.copy(uncopied.block).then(onCopied, (error: unknown) => {
      if (error instanceof JournalFullError) this.#waitForRoom();
      else this.#onFatal(error);
    });
  }

  #waitForRoom(): void {
    if (this.#isOutOfRoom) return;
    this.#isOutOfRoom = true;
    setTimeout(() => {
      this.#isOutOfRoom = false;
      for (const uncopied of this.#uncopied) this.#write(uncopied);
    }, ROOM_AGAIN_MS).unref();
  }
}
