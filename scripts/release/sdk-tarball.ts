import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';

/** What whoever installs it sees first. */
const PROGRAM = `
import { createClient, privateKeyWallet, VERSION } from '@oddlot/sdk';
const wallet = privateKeyWallet('0x' + '11'.repeat(32));
const client = createClient({ url: 'http://127.0.0.1:1', wallet });
if (typeof client.exchange.order !== 'function') throw new Error('it cannot trade');
console.log(VERSION);`;

/** Packs the SDK of unpacked sources into a folder; gives the name of the file. */
export function packSdk(sources: string, folder: string, version: string): string {
  const flags = ['--foreground-scripts=false', '--ignore-scripts=false', '--loglevel=error'];
  const cwd = join(sources, 'packages', 'sdk');
  run('npm', ['pack', ...flags, '--pack-destination', folder], { cwd });
  const name = `oddlot-sdk-${version}.tgz`;
  if (!existsSync(join(folder, name))) throw new Error(`npm pack did not write ${name}`);
  return name;
}

/** Installs it into an empty folder and imports it there, as a stranger would. */
export function checkSdk(tarball: string, home: string, version: string): void {
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  run('npm', ['install', ...flags, '--loglevel=error', tarball], { cwd: home });
  const parameters = ['--input-type=module', '--eval', PROGRAM];
  const told = run(process.execPath, parameters, { cwd: home }).trim();
  if (told !== version) throw new Error(`the installed SDK reports ${told}`);
}
