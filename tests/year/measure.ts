import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeSnapshot, type SnapshotPayload } from '../../packages/replica/src/snapshot-codec.ts';

/** The contents of a stopped venue's folder. */
export type Left = {
  readonly height: number;
  readonly snapshotBytes: number;
  /**
   * The number of characters that each part of the state and each projection takes up in the
   * snapshot.
   */
  readonly parts: Readonly<Record<string, number>>;
  /** The size of each top-level folder, in bytes. */
  readonly folderBytes: Readonly<Record<string, number>>;
};

export async function lookInto(folder: string): Promise<Left> {
  const snapshot = await newestSnapshot(folder);
  // The first line is the header.
  const payload = decodeSnapshot(snapshot.subarray(snapshot.indexOf('\n') + 1));
  return {
    height: payload.head.height,
    snapshotBytes: snapshot.length,
    parts: partsOf(payload),
    folderBytes: await bytesByName(folder),
  };
}

async function newestSnapshot(folder: string): Promise<Buffer> {
  const directory = join(folder, 'snapshots');
  const names = (await readdir(directory)).filter((name) => name.endsWith('.bin'));
  return readFile(join(directory, names.toSorted().at(-1) ?? 'none'));
}

function partsOf(payload: SnapshotPayload): Record<string, number> {
  const parts: Record<string, number> = {};
  for (const [name, value] of Object.entries({ ...payload, state: {}, companions: {} })) {
    parts[name] = JSON.stringify(value).length;
  }
  for (const whole of ['state', 'companions'] as const) {
    for (const [name, value] of Object.entries(payload[whole])) {
      parts[`${whole}.${name}`] = (JSON.stringify(value) ?? '').length;
    }
  }
  return parts;
}

async function bytesByName(folder: string): Promise<Record<string, number>> {
  const bytes: Record<string, number> = {};
  for (const name of await readdir(folder)) bytes[name] = await bytesOf(join(folder, name));
  return bytes;
}

async function bytesOf(path: string): Promise<number> {
  const { size } = await stat(path);
  const names = await readdir(path).catch(() => undefined);
  if (names === undefined) return size;
  const sizes = await Promise.all(names.map((name) => bytesOf(join(path, name))));
  return sizes.reduce((sum, each) => sum + each, 0);
}
