import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { present } from '@oddlot/units';
import { packPackage, PUBLISHED } from '../scripts/release-files.ts';
import { quietEnvironment, runCommand } from './packaging/run-command.ts';
import { blocksOf, DEFAULT_URL } from './support/readme.ts';
import { NODE, REPOSITORY } from './support/venue-process.ts';

/**
 * Measures the time from an empty folder to a filled order with the programs in the documentation:
 * `npm run newcomer -- [typescript] [python] [curl] [ccxt]`. The time includes installing all
 * packages, starting the venue and running the program. It excludes building the packages, which
 * users download, and downloads that npm has cached. Node, curl, and Python with the Python
 * package's dependencies must be installed. The exit code is 1 if a program takes more than two
 * minutes.
 */

const SECONDS_MAX = 120;
const PAGES = ['README.md', 'docs/get-started/quickstart.md', 'docs/build/ccxt.md'];
/** The system's Python interpreter, which has the Python package's dependencies. */
const PYTHON = process.env['PYTHON'] ?? '/usr/bin/python3';

type Place = { readonly folder: string; readonly url: string };

type Way = {
  /** npm packages in addition to `oddlot`, which includes the venue. */
  readonly packages: readonly string[];
  readonly install?: (folder: string) => Promise<unknown>;
  /** Runs the program and returns its output. */
  readonly trade: (place: Place) => Promise<string>;
  /** Output proving that an order was filled. */
  readonly filled: RegExp;
};

const { version } = readJson('package.json');
const packed = mkdtempSync(join(tmpdir(), 'oddlot-packed-'));
const tarball = (stem: string): string => join(packed, `${stem}-${version}.tgz`);

const WAYS: Readonly<Record<string, Way>> = {
  typescript: {
    packages: [tarball('oddlot-sdk')],
    trade: (place) => runModule('first-order', place),
    filled: /^filled 0\.001 BTC at [\d.]+$/m,
  },
  python: {
    packages: [],
    install: installPython,
    trade: ({ folder, url }) => run(PYTHON, ['quickstart.py', url], folder),
    filled: /^BTC-USDC filled [\d.]+$/m,
  },
  curl: {
    packages: [],
    trade: ({ folder, url }) =>
      run('sh', ['-euc', `export ODDLOT_URL=${url}\n${programOf('curl', url)}`], folder),
    filled: /"state":"filled"/,
  },
  ccxt: {
    packages: [
      tarball('oddlot-ccxt'),
      `ccxt@${readJson('tests/clients/package.json').dependencies.ccxt}`,
    ],
    trade: (place) => runModule('ccxt', place),
    filled: /^closed: 0\.001 BTC at [\d.]+$/m,
  },
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(WAYS, name));
if (unknown !== undefined) {
  console.error(`Unknown argument '${unknown}'. Use ${Object.keys(WAYS).join(', ')}.`);
  process.exit(2);
}
try {
  const needed = Object.values(WAYS).flatMap(({ packages }) => packages);
  for (const each of PUBLISHED) {
    if (each.stem !== 'oddlot' && !needed.includes(tarball(each.stem))) continue;
    packPackage(each, { sources: REPOSITORY, to: packed, version });
  }
  for (const [name, way] of Object.entries(WAYS)) {
    if (asked.length === 0 || asked.includes(name)) await measure(name, way);
  }
} finally {
  rmSync(packed, { recursive: true, force: true });
}

async function measure(name: string, { filled, install, packages, trade }: Way): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `oddlot-${name}-`));
  const started = performance.now();
  const secondsNow = (): number => Math.round((performance.now() - started) / 100) / 10;
  let venue: ChildProcess | undefined;
  try {
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', ...flags, tarball('oddlot'), ...packages], folder);
    await install?.(folder);
    const installed = secondsNow();
    const args = ['dev', '--port', '0', '--accounts', '1', '--json'];
    const env = { ...quietEnvironment(), ...variablesOf(folder) };
    venue = spawn('oddlot', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = await once(createInterface(venue.stdout!), 'line');
    const ready = secondsNow();
    const { url } = JSON.parse(String(line));
    const output = await trade({ folder, url });
    const total = secondsNow();
    if (!filled.test(output)) throw new Error(`${name} did not fill an order:\n${output}`);
    const steps = `installation ${installed} s, venue ${(ready - installed).toFixed(1)} s`;
    const order = `order ${(total - ready).toFixed(1)} s`;
    console.log(`${name}: ${total} s (${steps}, ${order}), at most ${SECONDS_MAX} s`);
    if (total > SECONDS_MAX) process.exitCode = 1;
  } finally {
    await stop(venue);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function stop(venue: ChildProcess | undefined): Promise<void> {
  if (venue === undefined || venue.exitCode !== null) return;
  venue.kill('SIGTERM');
  await once(venue, 'exit');
}

/**
 * Installs the Python package from a copy of its sources, because pip writes files next to them.
 */
async function installPython(folder: string): Promise<void> {
  const sources = join(folder, 'sources');
  mkdirSync(sources);
  for (const name of ['pyproject.toml', 'README.md', 'oddlot']) {
    cpSync(join(REPOSITORY, 'python', name), join(sources, name), { recursive: true });
  }
  const example = join(REPOSITORY, 'python/examples/quickstart.py');
  cpSync(example, join(folder, 'quickstart.py'));
  const flags = ['--quiet', '--no-index', '--no-deps', '--no-build-isolation', '--target', folder];
  await run(PYTHON, ['-m', 'pip', 'install', ...flags, sources], folder);
}

async function runModule(name: string, { folder, url }: Place): Promise<string> {
  writeFileSync(join(folder, `${name}.mjs`), programOf(name, url));
  return run('node', [`${name}.mjs`], folder);
}

/** Returns a program from the documentation, with the venue's address filled in. */
function programOf(name: string, url: string): string {
  const found = blocksOf(PAGES).find((block) => block.name === name);
  return present(found, `the program ${name} of the documentation`).code.replaceAll(
    DEFAULT_URL,
    url,
  );
}

function run(program: string, args: readonly string[], folder: string): Promise<string> {
  const timeoutMs = 2 * SECONDS_MAX * 1_000;
  return runCommand(program, args, { cwd: folder, env: variablesOf(folder), timeoutMs });
}

/**
 * Returns environment variables under which `node` is Node 24 and `oddlot` is the installed
 * program.
 */
function variablesOf(folder: string): NodeJS.ProcessEnv {
  const folders = [join(folder, 'node_modules/.bin'), dirname(NODE), process.env['PATH'] ?? ''];
  const home = join(folder, 'home');
  return { PATH: folders.join(delimiter), ODDLOT_HOME: home, ODDLOT_PASSWORD: 'newcomer' };
}

function readJson(path: string) {
  return JSON.parse(readFileSync(join(REPOSITORY, path), 'utf8'));
}
