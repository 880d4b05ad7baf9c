import { BookDamagedError } from '@oddlot/custody/validator';
import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import type { BlockHead } from '@oddlot/venue/replay';

/**
 * The newest block by which something was signed, on disk before the signature leaves. A replica that has to begin at an older
 * snapshot goes the same way again or none: a venue can't have it sign by another past.
 */
export class PinnedHead {
  readonly #file: string;
  #pinned: Pick<BlockHead, 'hash' | 'height'> | undefined;

  constructor(file: string) {
    this.#file = file;
    const text = readTextFile(file);
    if (text === undefined) return;
    const [, height, hash] = /^(\d+):(0x[0-9a-f]{64})\n$/.exec(text) ?? [];
    if (height === undefined || hash === undefined) {
      throw new BookDamagedError(
        `${file}, which records the block at which this validator last signed, is damaged. ` +
          'Restore it from a backup',
      );
    }
    this.#pinned = { height: Number(height), hash: hash as BlockHead['hash'] };
  }

  /** Undefined before anything was signed. */
  get head(): Pick<BlockHead, 'hash' | 'height'> | undefined {
    return this.#pinned;
  }

  pin({ hash, height }: Pick<BlockHead, 'hash' | 'height'>): void {
    if (height <= (this.#pinned?.height ?? 0)) return;
    writeWholeFile(this.#file, `${height}:${hash}\n`);
    this.#pinned = { height, hash };
  }
}
