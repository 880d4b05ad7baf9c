import { BookDamagedError } from '@oddlot/custody/validator';
import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import { RULES_VERSION } from '@oddlot/engine';
import type { SnapshotJudge } from '@oddlot/replica/attestations';
import type { BlockHead } from '@oddlot/replica/block';

/** More than are kept as files. */
const RECORDED = 8;
const LINES = /^(?:0x[0-9a-f]{64}\n)*$/;

type OwnSnapshotsOptions = {
  readonly file: string;
  /** The content of a snapshot from elsewhere that the operator accepts. */
  readonly accepted: string | undefined;
  /** This validator has signed before, with a release that kept no record of its snapshots. */
  readonly hasSigned: boolean;
};

/**
 * The contents of the snapshots that this validator wrote. A snapshot from elsewhere, even if the log of the venue attests it,
 * is the word of the venue, so it is not used unless the operator accepts it.
 */
export class OwnSnapshots {
  readonly #options: OwnSnapshotsOptions;
  #contents: readonly string[];
  readonly #hasRecord: boolean;

  constructor(options: OwnSnapshotsOptions) {
    const { file } = options;
    this.#options = options;
    const text = readTextFile(file);
    if (text !== undefined && !LINES.test(text)) {
      throw new BookDamagedError(
        `${file}, the list of this validator's snapshots, is damaged. Restore it from a backup`,
      );
    }
    this.#hasRecord = text !== undefined;
    this.#contents = text?.split('\n').filter((line) => line !== '') ?? [];
  }

  /** Records a snapshot that was written here. */
  add(content: string): void {
    this.#contents = [...this.#contents, content].slice(-RECORDED);
    writeWholeFile(this.#options.file, this.#contents.map((each) => `${each}\n`).join(''));
  }

  readonly faultOf: SnapshotJudge = async ({ block, content, height, rules }) => {
    const { accepted, hasSigned } = this.#options;
    if (block !== height) return `it contains block ${block}`;
    if (accepted === content || this.#contents.includes(content)) return undefined;
    if (!this.#hasRecord && hasSigned && rules < RULES_VERSION) return undefined;
    return `not written by this validator; to start with it, pass --accept-snapshot ${content}`;
  };
}

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
