import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { NODE, REPOSITORY } from '../support/venue-process.ts';
import { runCommand } from './run-command.ts';

/** The newest releases of each Node version that the SDK supports. */
const RELEASES: Readonly<Record<number, string>> = { 20: '20.20.2', 22: '22.23.3' };
/** The releases stay cached between runs, because each takes 180 MB. */
const CACHE = join(REPOSITORY, 'node_modules', '.cache', 'node-releases');

/**
 * Returns a Node of a given major version: the project's own, one installed on the machine, or
 * otherwise the registry package that the project itself uses.
 */
export async function nodeOf(major: number): Promise<string> {
  for (const candidate of [NODE, process.execPath, ...nodesOfPath()]) {
    if ((await majorOf(candidate)) === major) return candidate;
  }
  const release = RELEASES[major];
  if (release === undefined) throw new Error(`no release of Node ${major} is named here`);
  return fetched(release);
}

function nodesOfPath(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'node')).filter((path) => existsSync(path));
}

async function majorOf(node: string): Promise<number> {
  return Number(
    (await runCommand(node, ['-p', 'process.versions.node'], { cwd: '/' })).split('.')[0],
  );
}

async function fetched(release: string): Promise<string> {
  const host = `${process.platform}-${process.arch}`;
  const name = host === 'darwin-arm64' ? `node-bin-${host}` : `node-${host}`;
  const folder = join(CACHE, release);
  const node = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(node)) return node;
  // The folder is renamed once complete, so that an interrupted run leaves no partial files.
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await writeFile(join(draft, 'package.json'), '{"private":true}');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--force'];
  await runCommand('npm', ['install', ...flags, `${name}@${release}`], { cwd: draft });
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
  return node;
}
