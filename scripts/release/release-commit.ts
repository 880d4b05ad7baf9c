import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assemble, isNewer, readFragments, releasesIn, type Release } from '../changelog.ts';
import { versionsIn, VERSION_FORM } from '../set-version.ts';
import { run } from './run.ts';

/** Who makes a commit that nobody will see. */
const NOBODY = { name: 'dry run', email: '' };

/** The release that the repository is ready for. Throws with what is in the way. */
export function nextRelease(root: string, date: string): Release {
  const changed = run('git', ['status', '--porcelain'], { cwd: root });
  if (changed !== '') throw new Error(`there are uncommitted changes:\n${changed}`);
  const told = versionsIn(root);
  const version = told[0]!.version;
  if (!VERSION_FORM.test(version)) throw new Error(`package.json has no version: "${version}"`);
  const others = told.filter((each) => each.version !== version);
  if (others.length > 0) {
    const list = others.map((each) => `${each.place} says ${each.version}`).join('\n');
    throw new Error(`some versions are not ${version}; run npm run set-version:\n${list}`);
  }
  const [last] = releasesIn(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  if (last !== undefined && !isNewer(version, last.version)) {
    throw new Error(
      `the version is ${version}, but CHANGELOG.md already contains ${last.version}; run npm run set-version -- <newer>`,
    );
  }
  if (!readFragments(root).some(({ section }) => section === 'Upgrade steps')) {
    throw new Error(
      'changes/ has no fragment with upgrade steps. Add one, even if nothing has to be done',
    );
  }
  return { version, date };
}

/**
 * The commit of a release, in which CHANGELOG.md has what changes/ had. It is made beside the branch: until all of it
 * was checked, no file and no branch changes.
 */
export function makeCommit(root: string, release: Release, isDry: boolean): string {
  const fragments = readFragments(root);
  const before = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'oddlot-release-index-'));
  try {
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    const git = (parameters: readonly string[], input?: string): string =>
      run('git', parameters, { cwd: root, env, ...(input === undefined ? {} : { input }) }).trim();
    git(['read-tree', 'HEAD']);
    git(['update-index', '--force-remove', '--', ...fragments.map(({ path }) => path)]);
    const blob = git(['hash-object', '-w', '--stdin'], assemble(before, fragments, release));
    git(['update-index', '--cacheinfo', `100644,${blob},CHANGELOG.md`]);
    const tree = git(['write-tree']);
    const who = isDry ? ['-c', `user.name=${NOBODY.name}`, '-c', `user.email=${NOBODY.email}`] : [];
    const message = `release: ${release.version}`;
    return git([...who, 'commit-tree', tree, '-p', 'HEAD', '-m', message]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The branch goes on to it, and with it the files. */
export function takeCommit(root: string, commit: string): void {
  run('git', ['merge', '--quiet', '--ff-only', commit], { cwd: root });
}
