import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Release } from '../changelog.ts';
import { run, runRaw } from './run.ts';

/** Under which our own packages are installed. */
const SCOPE = '@oddlot';

export type Source = {
  readonly root: string;
  readonly commit: string;
  readonly release: Release;
};

/** Writes the sources of a commit, as `git archive` gives them, into a folder; gives the name of the file. */
export function packSource({ root, commit, release }: Source, folder: string): string {
  const stem = `oddlot-${release.version}`;
  const name = `${stem}.tar.gz`;
  const parameters = ['archive', '--format=tar', `--prefix=${stem}/`, commit];
  writeFileSync(join(folder, name), gzipSync(runRaw('git', parameters, { cwd: root })));
  return name;
}

/** Unpacks it, and gives where: everything else is made of what is in the archive. */
export function unpackSource(source: Source, archive: string, folder: string): string {
  mkdirSync(folder);
  run('tar', ['-xzf', archive], { cwd: folder });
  const unpacked = join(folder, `oddlot-${source.release.version}`);
  checkTree(source, unpacked, join(folder, 'check.git'));
  linkInstalled(source.root, unpacked);
  checkProgram(unpacked, source.release.version);
  return unpacked;
}

/** Every file with its content and its mode, and no other: both have the same tree. */
function checkTree({ root, commit }: Source, unpacked: string, gitFolder: string): void {
  run('git', ['init', '--quiet', '--bare', gitFolder], { cwd: unpacked });
  const git = (...parameters: string[]): string => {
    const where = [`--git-dir=${gitFolder}`, `--work-tree=${unpacked}`];
    return run('git', [...where, '-c', 'core.autocrlf=false', ...parameters], { cwd: unpacked });
  };
  git('add', '--all', '--force');
  const found = git('write-tree').trim();
  const wanted = run('git', ['rev-parse', `${commit}^{tree}`], { cwd: root }).trim();
  if (found !== wanted)
    throw new Error(`the archive has the tree ${found}, but the commit has ${wanted}`);
}

/** What is installed here serves there as well, but for our own packages: those are what was unpacked. */
function linkInstalled(root: string, unpacked: string): void {
  const packages = readdirSync(join(unpacked, 'packages'));
  for (const name of packages) {
    const installed = join(root, 'packages', name, 'node_modules');
    if (existsSync(installed)) {
      symlinkSync(installed, join(unpacked, 'packages', name, 'node_modules'));
    }
  }
  const [from, to] = [join(root, 'node_modules'), join(unpacked, 'node_modules')];
  mkdirSync(join(to, SCOPE), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== SCOPE) symlinkSync(join(from, name), join(to, name));
  }
  for (const name of packages) {
    symlinkSync(join(unpacked, 'packages', name), join(to, SCOPE, name));
  }
}

function checkProgram(unpacked: string, version: string): void {
  const parameters = ['packages/venue/src/main.ts', '--version'];
  const told = run(process.execPath, parameters, { cwd: unpacked });
  if (!told.startsWith(`Oddlot ${version} `)) throw new Error(`the venue there reports: ${told}`);
}
