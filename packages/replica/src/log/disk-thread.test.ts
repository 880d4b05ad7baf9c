import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { JournalFullError, makeFolder } from '@oddlot/host/durable';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { block, crashImage, openJournal, readAll } from '@oddlot/testing/venue/journal';
import { DiskThread } from './disk-thread.ts';

type End = Parameters<Parameters<DiskThread['ask']>[1]>[0];

const shared = (text: string): Buffer => {
  const bytes = Buffer.from(new SharedArrayBuffer(text.length));
  bytes.write(text);
  return bytes;
};

/** Requests two jobs at once, as a journal does. */
async function askTwice(
  disk: DiskThread,
  jobs: readonly { descriptor: number; text: string; position: number; space?: number }[],
): Promise<End[]> {
  return Promise.all(
    jobs.map(({ descriptor, position, space = Infinity, text }, memory) => {
      const bytes = shared(text);
      const place = { descriptor, bytes, memory, length: bytes.length, position };
      return new Promise<End>((resolve) => {
        disk.ask({ ...place, zeros: 0, space, isSync: true }, resolve);
      });
    }),
  );
}

test('jobs waiting behind a failed job are skipped, and jobs requested later are performed', () =>
  inDirectory(async (directory) => {
    makeFolder(directory);
    const disk = DiskThread.lease();
    const path = join(directory, 'file');
    const file = await open(path, 'w+');
    const { fd: descriptor } = file;
    const [first, second] = await askTwice(disk, [
      { descriptor, text: 'first', position: 0, space: 2 },
      { descriptor, text: 'second', position: 5 },
    ]);
    expect(first?.error).toMatchObject({ code: 'ENOSPC' });
    expect(second?.error?.message).toMatch(/the previous job failed/);
    expect(await readFile(path, 'utf8')).toBe('fi');
    const ends = await askTwice(disk, [
      { descriptor, text: 'third', position: 0 },
      { descriptor, text: ' and fourth', position: 5 },
    ]);
    expect(ends.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(ends.every(({ syncSeconds }) => syncSeconds > 0)).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('third and fourth');
    await file.close();
    disk.giveBack();
  }));

test("a failed write reports the system's error code", () =>
  inDirectory(async (directory) => {
    makeFolder(directory);
    const disk = DiskThread.lease();
    await (await open(join(directory, 'file'), 'w')).close();
    const file = await open(join(directory, 'file'), 'r');
    const [end] = await askTwice(disk, [{ descriptor: file.fd, text: 'no', position: 0 }]);
    expect(end?.error).toMatchObject({ code: 'EBADF' });
    expect(end?.error?.message).toMatch(/EBADF/);
    await file.close();
    disk.giveBack();
  }));

test('a thread that was returned is the next one to be leased', () => {
  const first = DiskThread.lease();
  const second = DiskThread.lease();
  expect(second).not.toBe(first);
  first.giveBack();
  expect(DiskThread.lease()).toBe(first);
  first.giveBack();
  second.giveBack();
});

test('R-disk: if there is no space for the first of two batches in flight, both are refused and neither is stored', () =>
  inDirectory(async (directory) => {
    let isTight = false;
    let second: Promise<unknown> | undefined;
    const space = (): number | undefined => {
      if (!isTight) return undefined;
      isTight = false;
      // The first batch is already being written, so this block is put in a second batch, which is
      // requested before the first one is finished.
      second = journal.append(block(3));
      return 60;
    };
    const journal = await openJournal(directory, { faults: { space } });
    const stored = await journal.append(block(1));
    isTight = true;
    const first = journal.append(block(2, 'x'.repeat(500)));
    await Promise.resolve();
    expect(second).toBeDefined();
    const ends = await Promise.allSettled([first, second]);
    for (const end of ends) {
      expect(end).toMatchObject({ status: 'rejected', reason: expect.any(JournalFullError) });
    }
    const image = await openJournal(await crashImage(directory));
    expect(image.repaired).toBeUndefined();
    expect(await readAll(image)).toEqual([stored]);
    await image.close();
    const next = await journal.append(block(4));
    expect(next.seq).toBe(2);
    expect(await readAll(journal)).toEqual([stored, next]);
    await journal.close();
  }));

test('batches larger than the initial memory are written in full, two at a time', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory, { segmentBytes: 8 * 1024 * 1024 });
    const appended = [];
    for (let n = 1; n <= 12; n += 1) {
      appended.push(journal.append(block(n, 'é'.repeat(n * 20_000))));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const entries = await Promise.all(appended);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    expect(await readAll(journal)).toEqual(entries);
    await journal.close();
  }));

test('a process waiting for a block stays alive, and a process without work exits', () =>
  inDirectory(async (directory) => {
    const program = `
      const { FileJournal } = await import(${JSON.stringify(new URL('./file-journal.ts', import.meta.url).href)});
      const clock = { nowMs: () => 1 };
      const journal = await FileJournal.open({ directory: ${JSON.stringify(directory)}, clock });
      console.log((await journal.append([])).seq);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    const [code] = (await once(child, 'exit')) as [number | null];
    expect({ code, output }).toEqual({ code: 0, output: '1\n' });
  }));
