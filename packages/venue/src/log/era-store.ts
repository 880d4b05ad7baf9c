import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn, readChecked, writeChecked } from './checked-file.ts';

/**
 * The states that eras start from (R-era), beside the log and for ever: an era can be replayed from
 * here whatever became of the program that ran the one before. A file is written before the log says
 * that its era is open, so one that the log does not confirm is of no meaning.
 */

const FORMAT = 'oddlot-era-1';

type EraFile = {
  /** The last block of the era before. */
  readonly height: number;
  readonly rules: number;
  readonly path: string;
};

export class EraStore {
  readonly #directory: string;

  constructor({ directory }: { readonly directory: string }) {
    this.#directory = directory;
  }

  async write(era: {
    readonly height: number;
    readonly rules: number;
    readonly payload: string;
  }): Promise<void> {
    const { height, payload, rules } = era;
    const path = join(this.#directory, eraName(height, rules));
    await writeChecked(path, { format: FORMAT, height, payload });
    for (const name of await namesIn(this.#directory)) {
      // What a crash left half written.
      if (name.endsWith('.json.new')) await unlink(join(this.#directory, name));
    }
  }

  /** The files that are there, newest first, unchecked. */
  async list(): Promise<EraFile[]> {
    const files: EraFile[] = [];
    for (const name of await namesIn(this.#directory)) {
      const match = /^era-(\d{16})-rules-(\d+)\.json$/.exec(name);
      if (match === null) continue;
      const path = join(this.#directory, name);
      files.push({ height: Number(match[1]), rules: Number(match[2]), path });
    }
    return files.toSorted((a, b) => b.height - a.height || b.rules - a.rules);
  }

  read({ height, path }: EraFile): Promise<{ payload: Buffer } | { why: string }> {
    return readChecked(path, FORMAT, height);
  }
}

const eraName = (height: number, rules: number): string =>
  `era-${String(height).padStart(16, '0')}-rules-${rules}.json`;
