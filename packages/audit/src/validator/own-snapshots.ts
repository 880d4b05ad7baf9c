import { BookDamagedError } from '@oddlot/custody/validator';
import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import { RULES_VERSION } from '@oddlot/engine';
import type { SnapshotJudge } from '@oddlot/replica/attestations';
import type { BlockHead } from '@oddlot/replica/block';

/** The number of hashes recorded, larger than the number of snapshot files kept. */
const RECORDED = 8;
const LINES = /^(?:0x[0-9a-f]{64}\n)*$/;

type OwnSnapshotsOptions = {
  readonly file: string;
  /** The content hash of an external snapshot that the operator accepts. */
  readonly accepted: string | undefined;
  /**
   * True if this validator has already signed under a release that did not record its snapshots.
   */
  readonly hasSigned: boolean;
};

/**
 * The content hashes of the snapshots this validator wrote. An external snapshot is only a claim by
 * the venue, even if the venue's log attests it, so it is used only if the operator accepts it.
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

  /** Records a snapshot that this validator wrote. */
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
 * The newest block on which a signature was based, stored on disk before the signature is sent. A
 * replica that starts from an older snapshot must reach the same block again before it signs, so
 * that a venue cannot obtain signatures for a different history.
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

  /** Undefined before the first signature. */
  get head(): Pick<BlockHead, 'hash' | 'height'> | undefined {
    return this.#pinned;
  }

  pin({ hash, height }: Pick<BlockHead, 'hash' | 'height'>): void {
    if (height <= (this.#pinned?.height ?? 0)) return;
    writeWholeFile(this.#file, `${height}:${hash}\n`);
    this.#pinned = { height, hash };
  }
}
