import { JournalFullError } from '@oddlot/host/durable';
import { assert } from '@oddlot/units';
import type { LogEntry } from '../block/block.ts';
import type { OrderedBlock } from '../log/segment-writer.ts';
import type { FileJournal } from '../log/file-journal.ts';
import type { Flight } from './flight.ts';

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
