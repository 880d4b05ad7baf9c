import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { bundledProgram } from './bundled-program.ts';

/**
 * Starts a venue from a bundle of the current sources, or from the sources themselves. In the
 * second case an interactive start bundles them in the background for the next start; for a
 * supervisor, `npm run build` does so once.
 */

/** A delay, because the start of the venue has priority. */
const BUILD_AFTER_MS = 5_000;

const bundled = bundledProgram('venue');
await import(bundled === undefined ? './main.ts' : pathToFileURL(bundled).href);
if (bundled === undefined && process.env['npm_lifecycle_event'] === 'start') {
  // By then a process that only prints its help has ended.
  setTimeout(() => void bundle(), BUILD_AFTER_MS).unref();
}

/**
 * Runs in a child process, which ends with this one. Without disk space or permission, the next
 * start uses the sources too.
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
