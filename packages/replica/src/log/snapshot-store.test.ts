import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { type CorruptSnapshot, SnapshotStore } from './checked-stores.ts';

async function withStore(
  run: (store: SnapshotStore, directory: string, corrupt: CorruptSnapshot[]) => Promise<void>,
): Promise<void> {
  await inDirectory(async (directory) => {
    const corrupt: CorruptSnapshot[] = [];
    const onCorrupt = (snapshot: CorruptSnapshot): void => void corrupt.push(snapshot);
    await run(new SnapshotStore({ directory, onCorrupt }), directory, corrupt);
  });
}

test('a snapshot is read back byte for byte, and the newest one up to a height is used', () =>
  withStore(async (store) => {
    expect(await store.newestValid()).toBeUndefined();
    await store.write({
      height: 10,
      pieces: [Buffer.from('{"text":'), Buffer.from('"\u2603\\n"}\n\n')],
    });
    await store.write({ height: 20, pieces: [Buffer.from([0, 255, 10, 13])] });
    expect(await store.newestValid()).toEqual({
      height: 20,
      payload: Buffer.from([0, 255, 10, 13]),
    });
    const older = await store.newestValid(19);
    expect(older?.height).toBe(10);
    expect(older?.payload.toString()).toBe('{"text":"\u2603\\n"}\n\n');
    expect(await store.newestValid(9)).toBeUndefined();
  }));

test('the last three snapshots are kept, even if several are written at once', () =>
  withStore(async (store) => {
    await Promise.all(
      [1, 2, 3, 4, 5].map((height) => store.write({ height, pieces: [Buffer.from('x')] })),
    );
    expect((await store.list()).map((file) => file.height)).toEqual([5, 4, 3]);
  }));

test('snapshot files left unfinished by a crash are ignored, and removed by the next write', () =>
  withStore(async (store, directory) => {
    await mkdir(directory);
    await writeFile(join(directory, 'snapshot-0000000000000009.bin.new'), 'half');
    expect(await store.newestValid()).toBeUndefined();
    await store.write({ height: 1, pieces: [Buffer.from('x')] });
    expect(await readdir(directory)).toEqual(['snapshot-0000000000000001.bin']);
  }));

test.each([
  ['a byte of the payload', (bytes: Buffer) => void (bytes[bytes.length - 1] = 0x78)],
  ['the header', (bytes: Buffer) => void (bytes[0] = 0x79)],
  ['the height', (bytes: Buffer) => void bytes.write('3', bytes.indexOf('20'), 'latin1')],
])(
  'a snapshot with damage to %s is reported and set aside, and the next older one is used',
  (_, damage) =>
    withStore(async (store, directory, corrupt) => {
      await store.write({ height: 10, pieces: [Buffer.from('ten')] });
      const { path } = await store.write({ height: 20, pieces: [Buffer.from('twenty')] });
      const bytes = await readFile(path);
      damage(bytes);
      await writeFile(path, bytes);
      expect((await store.newestValid())?.payload.toString()).toBe('ten');
      expect(corrupt).toMatchObject([{ height: 20, movedTo: `${path}.corrupt` }]);
      expect(await readdir(directory)).toContain('snapshot-0000000000000020.bin.corrupt');
      expect((await store.list()).map((file) => file.height)).toEqual([10]);
    }),
);

test('a truncated snapshot is not used', () =>
  withStore(async (store, _, corrupt) => {
    const { path } = await store.write({ height: 20, pieces: [Buffer.from('twenty')] });
    await writeFile(path, (await readFile(path)).subarray(0, -1));
    expect(await store.newestValid()).toBeUndefined();
    expect(corrupt[0]?.why).toContain('5 bytes');
  }));

test('R-disk: a snapshot that cannot be completed leaves no files', () =>
  withStore(async (store, directory) => {
    const inTheWay = 'snapshot-0000000000000020.bin';
    await mkdir(join(directory, inTheWay), { recursive: true });
    await expect(store.write({ height: 20, pieces: [Buffer.from('twenty')] })).rejects.toThrow(
      'EISDIR',
    );
    expect(await readdir(directory)).toEqual([inTheWay]);
  }));
