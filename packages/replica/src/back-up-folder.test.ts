import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { block, openJournal } from '@oddlot/testing/venue/journal';
import { backUpFolder, restoreFolder } from './backup.ts';

/** These tests write logs with known blocks to folders, back them up and compare the backups. */

const backUp = (data: string, to: string) => backUpFolder({ data, to, nowMs: 1 });

async function write(data: string, amounts: readonly number[], segmentBytes?: number) {
  await mkdir(join(data, 'journal'), { recursive: true });
  const options = segmentBytes === undefined ? {} : { segmentBytes };
  const journal = await openJournal(join(data, 'journal'), options);
  for (const amount of amounts) await journal.append(block(amount));
  await journal.close();
}

async function contentOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ name, parentPath }) => {
    const path = join(parentPath, name);
    return [path, (await readFile(path)).toString('latin1')] as const;
  });
  return Object.fromEntries((await Promise.all(read)).toSorted());
}

/** Creates a folder with three blocks, its backup, and a copy from before the third block. */
async function folders(root: string) {
  const [data, older, to] = ['data', 'older', 'backup'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  await write(data, [1, 2]);
  await cp(data, older, { recursive: true });
  await write(data, [3]);
  await backUp(data, to);
  return { data, older, to };
}

test.each<
  [what: string, prepare: (at: { older: string; root: string }) => Promise<string>, why: string]
>([
  ['an older copy', async ({ older }) => older, 'it ends at block 2, but'],
  [
    'a copy that continued separately',
    async ({ older }) => {
      await write(older, [7, 8, 9]);
      return older;
    },
    'is a backup of another log: its block 3 differs',
  ],
  [
    'another venue with more blocks',
    async ({ root }) => {
      await write(join(root, 'other'), [1, 2, 3, 4]);
      return join(root, 'other');
    },
    'is a backup of another log: its block 3 differs',
  ],
  [
    'another venue with fewer blocks',
    async ({ root }) => {
      await write(join(root, 'other'), [1]);
      return join(root, 'other');
    },
    'is a backup of another log: its block 1 differs',
  ],
])('%s does not replace a backup', (_, prepare, why) =>
  inDirectory(async (root) => {
    const { older, to } = await folders(root);
    const before = await contentOf(to);
    const data = await prepare({ older, root });
    await expect(backUp(data, to)).rejects.toMatchObject({
      name: 'BackupError',
      message: expect.stringContaining(why),
    });
    expect(await contentOf(to)).toEqual(before);
  }),
);

test('a backup can be extended from the same log, from a log with more segments, or from a restored folder whose log has grown', () =>
  inDirectory(async (root) => {
    const { data, to } = await folders(root);
    await backUp(data, to);
    await write(data, [4, 5, 6, 7, 8, 9], 4_300);
    expect((await readdir(join(data, 'journal'))).length).toBeGreaterThan(1);
    await backUp(data, to);
    const restored = join(root, 'restored');
    await restoreFolder({ from: to, data: restored });
    await write(restored, [10]);
    await backUp(restored, to);
    await expect(backUp(data, to)).rejects.toThrow('is older than its backup');
  }));

test('a log that begins after the end of a backup does not replace the backup', () =>
  inDirectory(async (root) => {
    const { data, to } = await folders(root);
    await write(data, [4, 5, 6, 7, 8, 9], 4_300);
    const journal = await openJournal(join(data, 'journal'));
    const { lastSeq } = journal;
    await journal.compact({ belowSeq: lastSeq, dropBeforeMs: Infinity });
    await journal.close();
    await expect(backUp(data, to)).rejects.toThrow('so it cannot be continued');
  }));

test('a backup inside the data folder is refused, even if its path goes through a missing folder', () =>
  inDirectory(async (root) => {
    const { data } = await folders(root);
    const before = await contentOf(root);
    for (const to of [data, join(data, 'backup'), join(root, 'x', '..', 'data', 'a', 'b')]) {
      await expect(backUp(data, to)).rejects.toThrow(`${to} is inside ${data}`);
    }
    expect(await contentOf(root)).toEqual(before);
    await backUp(data, join(root, 'data-of-monday'));
  }));

test.each(['{"format":1', 'null', '{"format":1,"files":[{"path":"../x","bytes":1,"sha256":""}]}'])(
  'a backup whose list of files is %s is reported as damaged, including its path',
  (text) =>
    inDirectory(async (root) => {
      const { data, to } = await folders(root);
      const file = join(to, 'backup.json');
      await writeFile(file, text);
      const damaged = {
        name: 'BackupError',
        message: expect.stringMatching(/backup\.json is damaged/),
      };
      await expect(restoreFolder({ from: to, data: join(root, 'new') })).rejects.toMatchObject(
        damaged,
      );
      await expect(backUp(data, to)).rejects.toMatchObject(damaged);
      expect(await readFile(file, 'utf8')).toBe(text);
    }),
);
