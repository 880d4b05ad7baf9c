import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isNewer, readFragments, releasesIn } from '../../scripts/changelog.ts';
import { setVersion, versionsIn } from '../../scripts/set-version.ts';
import { NODE, REPOSITORY } from '../support/venue-process.ts';
import { runCommand } from './run-command.ts';

/**
 * Goal: `npm run release` creates usable artefacts, and changes nothing until all checks have
 * passed. Method: run the command, without publishing, in a clone of the working tree that includes
 * uncommitted files. An invalid release is rejected before any artefact is created.
 */

/** The folder of installed packages may be a link, which .gitignore does not match. */
const LINKS = 'node_modules\n';

/** A release builds the page and all packages, and installs each of them. */
const RELEASE_MS_MAX = 900_000;

let folder: string;
let clone: string;
/** The version being released in the clone. */
let version: string;

const git = (...parameters: string[]): Promise<string> => {
  const author = ['-c', 'user.name=test', '-c', 'user.email='];
  return runCommand('git', [...author, ...parameters], { cwd: clone });
};
const release = (...flags: string[]): Promise<string> =>
  runCommand(NODE, ['scripts/release.ts', ...flags], { cwd: clone, timeoutMs: RELEASE_MS_MAX });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-release-test-'));
  clone = join(folder, 'clone');
  await cloneTree();
  for (const owner of ['', ...readdirSync(join(REPOSITORY, 'packages'))]) {
    const place = owner === '' ? '' : join('packages', owner);
    const installed = join(REPOSITORY, place, 'node_modules');
    if (existsSync(installed)) await symlink(installed, join(clone, place, 'node_modules'));
  }
  await appendFile(join(clone, '.git', 'info', 'exclude'), LINKS);
  version = await makeReady();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Copies all files in this tree that git would track. The tree may be a repository or an unpacked
 * archive.
 */
async function cloneTree(): Promise<void> {
  const bare = join(folder, 'tree.git');
  const run = (...parameters: string[]): Promise<string> =>
    runCommand('git', parameters, { cwd: folder });
  await run('init', '--quiet', '--bare', '--initial-branch=main', bare);
  await appendFile(join(bare, 'info', 'exclude'), LINKS);
  const there = [`--git-dir=${bare}`, `--work-tree=${REPOSITORY}`];
  await run(...there, 'add', '--all');
  const author = ['-c', 'user.name=test', '-c', 'user.email='];
  await run(...there, ...author, 'commit', '--quiet', '--no-verify', '--message', 'tree');
  await run('clone', '--quiet', bare, clone);
}

/** Prepares the next release, because right after a release there is nothing to release. */
async function makeReady(): Promise<string> {
  const own = versionsIn(clone)[0]!.version;
  const [last] = releasesIn(await readFile(join(clone, 'CHANGELOG.md'), 'utf8'));
  const isReady = isNewer(own, last!.version);
  const next = isReady ? own : `${Number(own.split('.')[0]) + 1}.0.0`;
  setVersion(clone, next);
  if (!readFragments(clone).some(({ section }) => section === 'Upgrade steps')) {
    const text = 'Upgrade steps\n\n- **Operators:** Stop, install, start.\n';
    await writeFile(join(clone, 'changes', 'upgrade-steps.md'), text);
  }
  await git('add', '--all');
  await git('commit', '--quiet', '--allow-empty', '--no-verify', '--message', 'ready');
  return next;
}

test('a release with uncommitted changes is rejected', async () => {
  await writeFile(join(clone, 'draft.txt'), 'a draft');
  await expect(release('--dry-run')).rejects.toThrow(/uncommitted changes:\n\?\? draft\.txt/);
  await rm(join(clone, 'draft.txt'));
});

test('a version that is not newer, or not the same everywhere, is rejected', async () => {
  const [last] = releasesIn(await readFile(join(clone, 'CHANGELOG.md'), 'utf8'));
  setVersion(clone, last!.version);
  await git('commit', '--quiet', '--all', '--no-verify', '--message', 'old');
  await expect(release('--dry-run')).rejects.toThrow(
    `CHANGELOG.md already contains ${last!.version}`,
  );
  const manifest = join(clone, 'packages', 'units', 'package.json');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replace(`"version": "${last!.version}"`, '"version": "0.0.1"'));
  await git('commit', '--quiet', '--all', '--no-verify', '--message', 'two versions');
  await expect(release('--dry-run')).rejects.toThrow('packages/units/package.json says 0.0.1');
  await git('reset', '--quiet', '--hard', 'HEAD~2');
  expect(existsSync(join(clone, 'release'))).toBe(false);
});

test('a dry run creates and checks every artefact and changes no tracked file', async () => {
  const head = await git('rev-parse', 'HEAD');
  const fragments = readFragments(clone);
  expect(await release('--dry-run')).toContain(`release: ${version} can be released`);
  expect(await git('rev-parse', 'HEAD')).toBe(head);
  expect(await git('status', '--porcelain')).toBe('');

  const made = join(clone, 'release');
  const names = [
    `oddlot-${version}.tar.gz`,
    `oddlot-${version}.tgz`,
    `oddlot-sdk-${version}.tgz`,
    `oddlot-ccxt-${version}.tgz`,
    `oddlot-testkit-${version}.tgz`,
    `oddlot-${version}.cdx.json`,
  ];
  expect(readdirSync(made).sort()).toEqual(['SHA256SUMS', ...names].sort());
  const sums = await Promise.all(
    names.map(async (name) => {
      const hash = createHash('sha256').update(await readFile(join(made, name)));
      return `${hash.digest('hex')}  ${name}\n`;
    }),
  );
  expect(await readFile(join(made, 'SHA256SUMS'), 'utf8')).toBe(sums.join(''));

  const inArchive = (path: string): Promise<string> =>
    runCommand('tar', ['-xzOf', names[0]!, `oddlot-${version}/${path}`], { cwd: made });
  const changelog = await inArchive('CHANGELOG.md');
  expect(releasesIn(changelog)[0]).toMatchObject({ version });
  for (const entry of fragments.flatMap(({ entries }) => entries))
    expect(changelog).toContain(entry);
  const listed = await runCommand('tar', ['-tzf', names[0]!], { cwd: made });
  expect(listed.match(/\/changes\/.+$/gm)).toEqual(['/changes/README.md']);

  const bill = JSON.parse(await readFile(join(made, `oddlot-${version}.cdx.json`), 'utf8'));
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { version } } });
  expect(bill.metadata.component.name).toBe('oddlot');
  expect(bill.components.map(({ name }: { name: string }) => name)).toContain('viem');
  expect(JSON.stringify(bill)).not.toMatch(/https?:\/\/(?!cyclonedx\.org\/)/);
});
