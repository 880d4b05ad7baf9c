import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { assemble, isNewer, readFragments, releasesIn, type Release } from './changelog.ts';
import { VERSION_FORM, versionsIn } from './set-version.ts';

/** The timeout allows for `npm install` over a slow connection. */
const RUN_MS_MAX = 300_000;
/** The largest output is the uncompressed tar archive of the sources. */
const OUTPUT_BYTES_MAX = 512 << 20;

type RunOptions = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
};

/**
 * Runs a program and returns its output. If the program fails, the error includes the end of its
 * standard error.
 */
function run(program: string, parameters: readonly string[], options: RunOptions): string {
  return runRaw(program, parameters, options).toString('utf8');
}

function runRaw(
  program: string,
  parameters: readonly string[],
  { cwd, env, input }: RunOptions,
): Buffer {
  try {
    return execFileSync(program, [...parameters], {
      cwd,
      env: { ...environment(), ...env },
      ...(input === undefined ? {} : { input }),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: RUN_MS_MAX,
      maxBuffer: OUTPUT_BYTES_MAX,
    });
  } catch (error) {
    const { stderr } = error as { readonly stderr?: Buffer };
    const errorText = String(stderr ?? '').slice(-4_000);
    throw new Error(`${program} ${parameters.join(' ')} failed:\n${errorText}`, { cause: error });
  }
}

/**
 * Returns the environment without the variables that npm sets for scripts and git sets for hooks,
 * because they would affect the programs that are run.
 */
function environment(): NodeJS.ProcessEnv {
  const settings = Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_(?:config_(?:workspace|prefix|local_prefix)|lifecycle|package)|^GIT_(?:DIR|INDEX_FILE|WORK_TREE)$/.test(
        name,
      ),
  );
  return { ...Object.fromEntries(settings), NO_COLOR: '1' };
}

const SCOPE = '@oddlot';

type Source = {
  readonly root: string;
  readonly commit: string;
  readonly release: Release;
};

/** Writes the archive of a commit into a folder and returns the file name. */
export function packSource({ root, commit, release }: Source, folder: string): string {
  const stem = `oddlot-${release.version}`;
  const name = `${stem}.tar.gz`;
  const parameters = ['archive', '--format=tar', `--prefix=${stem}/`, commit];
  writeFileSync(join(folder, name), gzipSync(runRaw('git', parameters, { cwd: root })));
  return name;
}

/**
 * Unpacks and checks the archive and returns the folder. All other files of the release are built
 * from it.
 */
export function unpackSource(source: Source, archive: string, folder: string): string {
  mkdirSync(folder);
  run('tar', ['-xzf', archive], { cwd: folder });
  const unpacked = join(folder, `oddlot-${source.release.version}`);
  checkTree(source, unpacked, join(folder, 'check.git'));
  linkInstalled(source.root, unpacked);
  checkProgram(unpacked, source.release.version);
  return unpacked;
}

/** Compares all files with the commit, including contents and modes, by means of the tree hash. */
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

/** Links the installed dependencies, and the workspace packages of the unpacked sources. */
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
  const printed = run(process.execPath, parameters, { cwd: unpacked });
  if (!printed.startsWith(`Oddlot ${version} `))
    throw new Error(`the venue there reports: ${printed}`);
}

/** The fields of a CycloneDX document that are checked or changed. */
type Component = {
  name: string;
  version: string;
  group?: string;
  externalReferences?: { readonly type: string }[];
};
type BillOfMaterials = {
  bomFormat: string;
  serialNumber: string;
  metadata: { timestamp: string; component: Component };
  components: Component[];
};

type Lockfile = {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly link?: true }>>;
};

/**
 * Writes the bill of materials from the lockfile of the unpacked sources and returns the file name.
 */
export function writeBill(source: Source, unpacked: string, folder: string): string {
  const name = `oddlot-${source.release.version}.cdx.json`;
  const flags = ['--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel=error'];
  const bill = JSON.parse(run('npm', ['sbom', ...flags], { cwd: unpacked })) as BillOfMaterials;
  settle(bill, source);
  checkBill(bill, unpacked, source.release.version);
  writeFileSync(join(folder, name), `${JSON.stringify(bill, undefined, 2)}\n`);
  return name;
}

/**
 * Derives the name, time and serial number from the commit, whereas npm would take them from the
 * folder, the clock and a random number.
 */
function settle(bill: BillOfMaterials, { root, commit }: Source): void {
  const seconds = run('git', ['show', '--no-patch', '--format=%ct', commit], { cwd: root });
  bill.metadata.timestamp = new Date(Number(seconds) * 1_000).toISOString();
  bill.metadata.component.name = 'oddlot';
  const hex = createHash('sha256').update(`oddlot ${commit}`).digest('hex');
  // UUID version 8 is reserved for custom formats.
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  bill.serialNumber = `urn:uuid:${parts.join('-')}`;
  // A package's download location depends on the machine, so it is removed.
  for (const component of bill.components) {
    component.externalReferences = (component.externalReferences ?? []).filter(
      ({ type }) => type !== 'distribution',
    );
  }
}

/** Checks that the bill of materials lists every package in the lockfile. */
function checkBill(bill: BillOfMaterials, unpacked: string, version: string): void {
  if (bill.bomFormat !== 'CycloneDX') throw new Error('npm sbom did not write CycloneDX');
  const { component } = bill.metadata;
  if (component.version !== version)
    throw new Error(`the bill of materials is for version ${component.version}`);
  const listed = new Set(bill.components.map((each) => `${nameOf(each)}@${each.version}`));
  const lockfile = readFileSync(join(unpacked, 'package-lock.json'), 'utf8');
  for (const [path, entry] of Object.entries((JSON.parse(lockfile) as Lockfile).packages)) {
    const at = path.lastIndexOf('node_modules/');
    if (at < 0 || entry.link === true) continue;
    const wanted = `${path.slice(at + 'node_modules/'.length)}@${entry.version}`;
    if (!listed.has(wanted)) throw new Error(`the bill of materials does not list ${wanted}`);
  }
}

function nameOf({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`;
}

/** A package of a release. */
type Published = {
  /** The name of the tarball without its version. */
  readonly stem: string;
  /** The script that builds the package, absent if packing also builds it. */
  readonly script?: string;
  readonly folder: string;
  /** A program that uses the installed package and prints the version. */
  readonly program: string;
};

const SDK_PROGRAM = `
import { createClient, privateKeyWallet, VERSION } from '@oddlot/sdk';
const wallet = privateKeyWallet('0x' + '11'.repeat(32));
const client = createClient({ url: 'http://127.0.0.1:1', wallet });
if (typeof client.exchange.order !== 'function') throw new Error('it cannot trade');
console.log(VERSION);`;

const CCXT_PROGRAM = `
import { Exchange } from 'ccxt';
import { oddlot } from '@oddlot/ccxt';
import manifest from '@oddlot/ccxt/package.json' with { type: 'json' };
const exchange = new oddlot({ privateKey: '0x' + '11'.repeat(32) });
if (!(exchange instanceof Exchange)) throw new Error('it is not an exchange of ccxt');
console.log(manifest.version);`;

const TESTKIT_PROGRAM = `
import { startVenue } from '@oddlot/testkit';
import manifest from '@oddlot/testkit/package.json' with { type: 'json' };
const venue = await startVenue();
await venue.fillBook('BTC-USDC');
await venue.stop();
console.log(manifest.version);`;

const CLI_PROGRAM = `
import { spawnSync } from 'node:child_process';
const program = ['node_modules/oddlot/bin/oddlot.mjs', '--version'];
process.stdout.write(spawnSync(process.execPath, program).stdout);`;

export const PUBLISHED: readonly Published[] = [
  {
    stem: 'oddlot',
    script: 'build:cli',
    folder: 'packages/cli/dist/oddlot',
    program: CLI_PROGRAM,
  },
  { stem: 'oddlot-sdk', folder: 'packages/sdk', program: SDK_PROGRAM },
  { stem: 'oddlot-ccxt', folder: 'packages/ccxt', program: CCXT_PROGRAM },
  {
    stem: 'oddlot-testkit',
    script: 'build:testkit',
    folder: 'packages/testkit/dist/npm',
    program: TESTKIT_PROGRAM,
  },
];

/**
 * Builds and packs a package from the unpacked sources into a folder, and returns the file name.
 */
export function packPackage(
  { folder, script, stem }: Published,
  {
    sources,
    to,
    version,
  }: { readonly sources: string; readonly to: string; readonly version: string },
): string {
  if (script !== undefined) run('npm', ['run', '--silent', script], { cwd: sources });
  const flags = ['--foreground-scripts=false', '--ignore-scripts=false', '--loglevel=error'];
  run('npm', ['pack', ...flags, '--pack-destination', to], { cwd: join(sources, folder) });
  const name = `${stem}-${version}.tgz`;
  if (!existsSync(join(to, name))) throw new Error(`npm pack did not write ${name}`);
  return name;
}

/** Installs a package into an empty folder and uses it there. */
export function checkPackage(
  { program, stem }: Published,
  {
    home,
    tarball,
    version,
  }: { readonly home: string; readonly tarball: string; readonly version: string },
): void {
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  run('npm', ['install', ...flags, '--loglevel=error', tarball], { cwd: home });
  const parameters = ['--input-type=module', '--eval', program];
  const printed = run(process.execPath, parameters, { cwd: home }).trim();
  if (printed !== version) throw new Error(`the installed package ${stem} reports ${printed}`);
}

export const CHECKSUMS = 'SHA256SUMS';

/** Writes the checksums in the format of `sha256sum --check`. */
export function writeChecksums(folder: string, names: readonly string[]): void {
  const lines = names.map((name) => `${sha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, CHECKSUMS), lines.join(''));
}

/** Throws if a file does not match its checksum, and returns the names of the files. */
export function checkChecksums(folder: string): readonly string[] {
  const lines = readFileSync(join(folder, CHECKSUMS), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [, hash, name = ''] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
    if (hash === undefined) throw new Error(`${CHECKSUMS} contains an invalid line: ${line}`);
    if (sha256(join(folder, name)) !== hash) throw new Error(`${name} has a different SHA-256`);
    return name;
  });
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** The author of the temporary commit that a dry run creates. */
const NOBODY = { name: 'dry run', email: '' };

/** Returns the next release. Throws if the repository is not ready to be released. */
export function nextRelease(root: string, date: string): Release {
  const changed = run('git', ['status', '--porcelain'], { cwd: root });
  if (changed !== '') throw new Error(`there are uncommitted changes:\n${changed}`);
  const versions = versionsIn(root);
  const version = versions[0]!.version;
  if (!VERSION_FORM.test(version)) throw new Error(`package.json has no version: "${version}"`);
  const others = versions.filter((each) => each.version !== version);
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
 * Creates the release commit, which moves the fragments in changes/ into CHANGELOG.md. The working
 * tree and the branch do not change until the release has been checked.
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

/** Moves the branch and the working tree to the given commit. */
export function takeCommit(root: string, commit: string): void {
  run('git', ['merge', '--quiet', '--ff-only', commit], { cwd: root });
}
