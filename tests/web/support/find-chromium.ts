import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { alone } from '../../../packages/web/build/build-lock.ts';

/** Where a browser is on this machine, and what it must be started with. */
export type FoundBrowser = { readonly path: string; readonly args: readonly string[] };

const run = promisify(execFile);
const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
/** Of this machine, not of this run: what is unpacked there is found by the next one. */
const PLACE = process.env['ODDLOT_TEST_DISK'] ?? tmpdir();
const LOCK = join(PLACE, 'oddlot-chromium.lock');
/**
 * Parts of the browser's own window, which it would load and run once more for every visitor: more work than many a
 * test. Naming any takes the place of what Playwright leaves out, so that is here too.
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
/** As root there is no sandbox to be had, and in containers shared memory is small. */
const ARGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--force-color-profile=srgb',
  `--disable-features=${LEFT_OUT.join(',')}`,
];

/**
 * A real Chromium: the one that `CHROMIUM_PATH` names, one of the system, the one inside of an npm package (x64),
 * or on Debian as root one that is installed now. Where none can be had, the test fails and says what to do.
 */
export async function findChromium(): Promise<FoundBrowser> {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') {
    if (await isProgram(named)) return { path: named, args: ARGS };
    throw new Error(`CHROMIUM_PATH names no program: ${named}`);
  }
  // Files of tests start together, and a browser that one of them still unpacks can't be started by another.
  const found =
    (await onSystem()) ??
    (await alone(LOCK, async () => (await fromPackage()) ?? (await installed())));
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
 * A package with a browser for x64 in it, which unpacks itself once. Some installs leave it out, so nothing here
 * needs its types.
 */
const PACKED: string = '@sparticuz/chromium';
type Packed = { readonly default: { executablePath(): Promise<string> } };

async function fromPackage(): Promise<FoundBrowser | undefined> {
  if (process.arch !== 'x64' || process.platform !== 'linux') return undefined;
  const before = process.env['TMPDIR'];
  try {
    const { default: packed } = (await import(PACKED)) as Packed;
    process.env['TMPDIR'] = PLACE;
    // Its own flags are for machines with one thread; a browser of one process ends with its first context.
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
