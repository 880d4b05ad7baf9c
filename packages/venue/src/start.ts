import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { bundledProgram } from './bundled-program.ts';

/**
 * Starts a venue from a bundle of the current sources, or from the sources themselves. When the
 * sources are run interactively, they are bundled in the background for the next startup. Under a
 * supervisor, `npm run build` bundles them once.
 */

/** Bundling is delayed, because starting the venue has priority. */
const BUILD_AFTER_MS = 5_000;

const bundled = bundledProgram('venue');
await import(bundled === undefined ? './main.ts' : pathToFileURL(bundled).href);
if (bundled === undefined && process.env['npm_lifecycle_event'] === 'start') {
  // A process that only prints its help has exited before this timer fires.
  setTimeout(() => void bundle(), BUILD_AFTER_MS).unref();
}

/**
 * Bundles the sources in a child process, which ends with this one. If it fails for lack of disk
 * space or permission, the next startup uses the sources again.
 */
async function bundle(): Promise<void> {
  const { lowerPriority } = await import('@oddlot/host/operate');
  const command = join(import.meta.dirname, '../build/build-programs.ts');
  const child = spawn(process.execPath, [command, '--if-stale'], { stdio: 'ignore' });
  child.once('error', () => undefined);
  child.unref();
  lowerPriority(child.pid);
  process.once('exit', () => child.kill());
}
