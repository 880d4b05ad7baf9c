import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { withBuildLock } from '../../../packages/web/build/build-lock.ts';

/** The path of a browser on this machine, and the arguments it needs. */
export type FoundBrowser = { readonly path: string; readonly args: readonly string[] };

const run = promisify(execFile);
const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
/** The browser is unpacked to the machine's disk, so that later runs find it. */
const PLACE = process.env['ODDLOT_TEST_DISK'] ?? tmpdir();
const LOCK = join(PLACE, 'oddlot-chromium.lock');
/**
 * Components of the browser's own window. The browser would load them again for every visitor,
 * which takes longer than many tests. This list replaces Playwright's and therefore includes it.
 */
const LEFT_OUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];
/** The sandbox is not available to root, and containers have little shared memory. */
const ARGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--force-color-profile=srgb',
  `--disable-features=${LEFT_OUT.join(',')}`,
];

/**
 * Finds a real Chromium: the one in `CHROMIUM_PATH`, one installed on the system, or one from an
 * npm package (x64). On Debian, root can also install one. If none is found, the test fails with
 * instructions.
 */
export async function findChromium(): Promise<FoundBrowser> {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') {
    if (await isProgram(named)) return { path: named, args: ARGS };
    throw new Error(`CHROMIUM_PATH names no program: ${named}`);
  }
  // Test files start concurrently, and a browser cannot be started while another file unpacks it.
  const found =
    (await onSystem()) ??
    (await withBuildLock(LOCK, async () => (await fromPackage()) ?? (await installed())));
  if (found !== undefined) return found;
  throw new Error(
    'The tests of the page need Chromium: install it (on Debian `apt-get install chromium`), or name one by CHROMIUM_PATH.',
  );
}

async function onSystem(): Promise<FoundBrowser | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const name of SYSTEM_NAMES) {
    for (const folder of folders) {
      if (await isProgram(join(folder, name))) return { path: join(folder, name), args: ARGS };
    }
  }
  return undefined;
}

/**
 * An npm package with an x64 browser, which it unpacks once. Some installations omit the package,
 * so its types are not used here.
 */
const PACKED: string = '@sparticuz/chromium';
type Packed = { readonly default: { executablePath(): Promise<string> } };

async function fromPackage(): Promise<FoundBrowser | undefined> {
  if (process.arch !== 'x64' || process.platform !== 'linux') return undefined;
  const before = process.env['TMPDIR'];
  try {
    const { default: packed } = (await import(PACKED)) as Packed;
    process.env['TMPDIR'] = PLACE;
    // The package's flags are intended for machines with one thread. A single-process browser would
    // exit with its first context.
    return { path: await packed.executablePath(), args: ARGS };
  } catch {
    return undefined;
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

async function installed(): Promise<FoundBrowser | undefined> {
  if (process.getuid?.() !== 0 || !(await isProgram('/usr/bin/apt-get'))) return undefined;
  const there = await onSystem();
  if (there !== undefined) return there;
  try {
    await run('apt-get', ['update', '-qq'], { timeout: 120_000 });
    await run('apt-get', ['install', '-y', '-qq', 'chromium'], { timeout: 300_000 });
  } catch {
    return undefined;
  }
  return onSystem();
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
