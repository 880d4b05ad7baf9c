import { execFileSync } from 'node:child_process';
import { cp, mkdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { bundlesIn, type Manifest, stampOf } from './bundled-program.ts';

const SOURCES = import.meta.dirname;
const MODULES = join(SOURCES, '../../../node_modules');
const MAIN = 'packages/venue/src/main.ts';

/** Creates a project whose program only prints whether its source or its bundle is running. */
async function project(root: string): Promise<void> {
  for (const name of ['start.ts', 'bundled-program.ts']) {
    await cp(join(SOURCES, name), join(root, dirname(MAIN), name));
  }
  await write(join(root, 'package.json'), '{ "type": "module" }');
  await write(join(root, MAIN), `console.log('the sources');`);
  await write(join(root, 'node_modules/.package-lock.json'), '{ "packages": {} }');
  await symlink(join(MODULES, '@oddlot'), join(root, 'node_modules/@oddlot'));
  await write(join(bundlesIn(root), 'abc/venue.js'), `console.log('the bundle');`);
  const { stamp } = stampOf([MAIN], root);
  const manifest: Manifest = { place: 'abc', sources: [MAIN], stamp };
  await write(join(bundlesIn(root), 'manifest.json'), JSON.stringify(manifest));
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function started(root: string): string {
  const file = join(root, 'packages/venue/src/start.ts');
  const env = { ...process.env, npm_lifecycle_event: undefined };
  return execFileSync(process.execPath, [file], { env, encoding: 'utf8' }).trim();
}

test('starting the venue runs the bundle if it was built from the current sources', () =>
  inDirectory(async (root) => {
    await project(root);
    expect(started(root)).toBe('the bundle');
    expect(stampOf([MAIN], root).newestSecond).toBeLessThanOrEqual(Date.now() / 1_000);
  }));

test.each<[string, (root: string) => Promise<string | void>]>([
  ['a source is longer', (root) => write(join(root, MAIN), `console.log('the ' + 'sources');`)],
  [
    'a source was modified later, with equal length',
    async (root) => {
      const { mtimeMs } = await stat(join(root, MAIN));
      await utimes(join(root, MAIN), mtimeMs / 1_000, mtimeMs / 1_000 + 1);
    },
  ],
  ['there is no bundle', (root) => rm(bundlesIn(root), { recursive: true })],
  ['the manifest is truncated', (root) => write(join(bundlesIn(root), 'manifest.json'), '{ "pla')],
  [
    'another package version is installed',
    (root) => write(join(root, 'node_modules/.package-lock.json'), '{ "packages": { "ws": {} } }'),
  ],
  [
    'the folder has moved',
    async (root) => {
      await rename(root, `${root}-moved`);
      return `${root}-moved`;
    },
  ],
])('the sources run if %s', (_, change) =>
  inDirectory(async (root) => {
    await project(root);
    const place = (await change(root)) ?? root;
    expect(started(place)).toBe('the sources');
    await rm(place, { recursive: true });
  }),
);
