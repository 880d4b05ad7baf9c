import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  checkChecksums,
  checkPackage,
  CHECKSUMS,
  makeCommit,
  nextRelease,
  packPackage,
  packSource,
  PUBLISHED,
  takeCommit,
  unpackSource,
  writeBill,
  writeChecksums,
} from './release-files.ts';

/**
 * Creates a release from the committed files without publishing it:
 *
 *     npm run release -- [--dry-run]
 *
 * The fragments in changes/ become a release in CHANGELOG.md, in a separate commit. Sources,
 * packages, bill of materials and checksums are built from this commit, checked, and written to
 * `release/`. The branch then moves to the commit. A dry run changes neither the branch nor tracked
 * files.
 */

const ROOT = join(import.meta.dirname, '..');

try {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  main(values['dry-run']);
} catch (error) {
  console.error(`release: ${(error as Error).message}`);
  process.exitCode = 1;
}

function main(isDry: boolean): void {
  const release = nextRelease(ROOT, new Date().toISOString().slice(0, 10));
  const source = { root: ROOT, release, commit: makeCommit(ROOT, release, isDry) };
  const work = mkdtempSync(join(tmpdir(), 'oddlot-release-'));
  try {
    const made = join(work, 'made');
    mkdirSync(made);
    const archive = packSource(source, made);
    const unpacked = unpackSource(source, join(made, archive), join(work, 'source'));
    const { version } = release;
    const tarballs = PUBLISHED.map((each) => {
      const name = packPackage(each, { sources: unpacked, to: made, version });
      const home = join(work, each.stem);
      checkPackage(each, { tarball: join(made, name), home, version });
      return name;
    });
    const bill = writeBill(source, unpacked, made);
    writeChecksums(made, [archive, ...tarballs, bill]);
    put(made);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  printFiles();
  if (isDry) {
    console.log(`release: ${release.version} can be released; this was a dry run`);
    return;
  }
  takeCommit(ROOT, source.commit);
  console.log(
    `release: ${release.version} is commit ${source.commit}. Check it, then tag and publish it.`,
  );
}

/** Atomically replaces the files from an earlier run. */
function put(made: string): void {
  const folder = join(ROOT, 'release');
  const draft = `${folder}.${process.pid}`;
  cpSync(made, draft, { recursive: true });
  checkChecksums(draft);
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}

function printFiles(): void {
  const folder = join(ROOT, 'release');
  console.log(readFileSync(join(folder, CHECKSUMS), 'utf8').trimEnd());
  for (const name of [...checkChecksums(folder), CHECKSUMS]) {
    console.log(`release/${name}: ${statSync(join(folder, name)).size} bytes`);
  }
}
