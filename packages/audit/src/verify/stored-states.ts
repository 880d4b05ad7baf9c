import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dump, restore, type State } from '@oddlot/engine';
import { attestationIn, type BlockHead, type LogEntry } from '@oddlot/replica/block';
import { openingOf } from '@oddlot/replica/bases';
import { readChecked } from '@oddlot/replica/log/checked-stores';
import {
  ContentHasher,
  decodeSnapshot,
  type SnapshotPayload,
} from '@oddlot/replica/snapshot-codec';
import type { Located } from './report.ts';

type StoredFile = { readonly file: string; readonly height: number; readonly isEra: boolean };

const NAME = /^(?:snapshot-(\d{16})\.bin|era-(\d{16})-rules-\d+\.json)$/;

/**
 * The snapshots and the rules-version start states of a folder, which are compared with a replay of
 * the log. Their own hashes show whether the bytes are intact, and the replay shows whether the
 * states are correct.
 */
export class StoredStates {
  readonly #files: readonly StoredFile[];
  readonly findings: Located[] = [];
  /** Files with intact bytes, to be compared when the replay reaches their block. */
  readonly #payloads = new Map<StoredFile, SnapshotPayload>();
  /** The content hash of each snapshot, which is compared with attestations in the log. */
  readonly #contents = new Map<StoredFile, string>();

  private constructor(files: readonly StoredFile[]) {
    this.#files = files;
  }

  /** Reads all files without changing them. */
  static async read(data: string): Promise<StoredStates> {
    const folders = await Promise.all(
      ['snapshots', 'eras'].map((name) => filesIn(join(data, name))),
    );
    const states = new StoredStates(folders.flat());
    for (const file of states.#files) await states.#read(file);
    return states;
  }

  /** Returns the oldest snapshot from which a log without its first block can be replayed. */
  oldestFrom(height: number): { readonly file: string; readonly height: number } | undefined {
    const usable = [...this.#payloads.keys()].filter(
      (each) => !each.isEra && each.height >= height,
    );
    return usable.toSorted((a, b) => a.height - b.height)[0];
  }

  compare(head: BlockHead, state: State | undefined): void {
    for (const [file, payload] of this.#payloads) {
      if (file.height !== head.height) continue;
      const what = file.isEra ? undefined : differenceOf(payload, head, state);
      if (what !== undefined) this.findings.push({ file: file.file, block: head.height, what });
    }
  }

  /**
   * Compares snapshots with the attestations in a block. A replica attests the content of its
   * snapshot in a later block.
   */
  compareAttested({ commands, seq }: LogEntry): void {
    for (const [{ file, height }, content] of this.#contents) {
      const attested = height < seq ? attestationIn(commands, height) : undefined;
      if (attested === undefined || attested === content) continue;
      const what = `its content hash is ${content}, but block ${seq} attests ${attested}`;
      this.findings.push({ file, block: height, what });
    }
  }

  /**
   * Compares the start state of a rules version with the first block of that version, which
   * contains the hash of the state.
   */
  compareOpening(entry: LogEntry, hashText: (text: string) => string): void {
    const opening = openingOf(entry);
    for (const [file, payload] of this.#payloads) {
      if (opening === undefined || !file.isEra || file.height !== entry.seq - 1) continue;
      if (hashText(JSON.stringify(payload.state)) === opening.stateHash) continue;
      const what = 'it differs from the state recorded in the log';
      this.findings.push({ file: file.file, block: entry.seq, what });
    }
  }

  /**
   * Reports files for blocks beyond the end of the log, because those blocks must have been lost.
   */
  beyond(height: number): void {
    for (const { file, height: of } of this.#files) {
      if (of <= height) continue;
      this.findings.push({ file, block: of, what: `beyond the end of the log at block ${height}` });
    }
  }

  async #read(storedFile: StoredFile): Promise<void> {
    const { file, height, isEra } = storedFile;
    const read = await readChecked(file, isEra ? 'oddlot-era-1' : 'oddlot-snapshot-2', height);
    if ('why' in read) {
      this.findings.push({ file, block: height, what: read.why });
      return;
    }
    try {
      const payload = isEra
        ? (JSON.parse(read.payload.toString()) as SnapshotPayload)
        : decodeSnapshot(read.payload);
      this.#payloads.set(storedFile, payload);
      if (isEra) return;
      const hasher = await ContentHasher.create();
      this.#contents.set(storedFile, hasher.of(payload, read.payload));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.findings.push({ file, block: height, what: `cannot be read: ${why}` });
    }
  }
}

/**
 * Describes how a stored state differs. The digest identifies the block's state, but only the whole
 * state shows its content.
 */
function differenceOf(
  payload: SnapshotPayload,
  head: BlockHead,
  state: State | undefined,
): string | undefined {
  if (payload.head.hash !== head.hash) {
    return `its block hash is ${payload.head.hash}, but replaying the log gives ${head.hash}`;
  }
  if (state === undefined) return undefined;
  const [stored, own] = [dump(restore(payload.state)), dump(state)];
  const part = Object.keys(own).find(
    (key) =>
      JSON.stringify(stored[key as keyof typeof own]) !==
      JSON.stringify(own[key as keyof typeof own]),
  );
  return part === undefined
    ? undefined
    : `it differs in "${part}" from the state computed from the log`;
}

async function filesIn(directory: string): Promise<readonly StoredFile[]> {
  const names = await readdir(directory).catch(() => []);
  return names.toSorted().flatMap((name) => {
    const found = NAME.exec(name);
    if (found === null) return [];
    const [, snapshot, era] = found;
    const [height, isEra] = [Number(snapshot ?? era), era !== undefined];
    return [{ file: join(directory, name), height, isEra }];
  });
}
