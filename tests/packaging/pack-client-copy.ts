import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import { REPOSITORY } from '../support/venue-process.ts';
import { runCommand } from './run-command.ts';

/** Packages that are packed from their sources, along with the packages bundled into each. */
const CLIENTS = {
  sdk: ['units', 'protocol', 'sdk'],
  ccxt: ['units', 'protocol', 'sdk', 'ccxt'],
} as const;

/**
 * Packs a client and returns the path of the tarball. A copy of the sources is packed, because
 * packing replaces the manifest and other tests are running.
 */
export async function packClientCopy(
  folder: string,
  client: keyof typeof CLIENTS,
): Promise<string> {
  const copy = join(folder, 'copy');
  await mkdir(join(copy, 'scripts'), { recursive: true });
  await mkdir(join(folder, 'tarballs'));
  await symlink(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
  for (const name of [
    'tsconfig.base.json',
    'LICENSE',
    'NOTICE',
    'scripts/pack-client.ts',
    'scripts/public-types.ts',
    'package.json',
  ]) {
    await copyFile(join(REPOSITORY, name), join(copy, name));
  }
  for (const part of CLIENTS[client]) {
    const from = join(REPOSITORY, 'packages', part);
    const to = join(copy, 'packages', part);
    const filter = (path: string): boolean => !['dist', 'node_modules'].includes(basename(path));
    await cp(from, to, { recursive: true, filter });
    const own = join(from, 'node_modules');
    if (existsSync(own)) await symlink(own, join(to, 'node_modules'));
  }
  const cwd = join(copy, 'packages', client);
  const manifest = await readFile(join(cwd, 'package.json'), 'utf8');
  const flags = ['--json', '--foreground-scripts=false', '--ignore-scripts=false'];
  await runCommand('npm', ['pack', ...flags, '--pack-destination', join(folder, 'tarballs')], {
    cwd,
  });
  // The files added for packing are removed again.
  expect(await readFile(join(cwd, 'package.json'), 'utf8')).toBe(manifest);
  expect(existsSync(join(cwd, 'LICENSE'))).toBe(false);
  const { version } = JSON.parse(manifest) as { version: string };
  return join(folder, 'tarballs', `oddlot-${client}-${version}.tgz`);
}
