import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { bundledProgram } from './bundled-program.ts';

/**
 * Starts a venue: what was bundled of these sources, or the sources themselves. Where a person has started those, the next
 * start gets its bundle meanwhile; a supervisor has it made once, by `npm run build`.
 */

/** The venue has other things to do first. */
const BUILD_AFTER_MS = 5_000;

const bundled = bundledProgram('venue');
await import(bundled === undefined ? './main.ts' : pathToFileURL(bundled).href);
if (bundled === undefined && process.env['npm_lifecycle_event'] === 'start') {
  // Whoever only asked for help has left by then.
  setTimeout(() => void bundle(), BUILD_AFTER_MS).unref();
}

/** In a process of its own, which ends with this one. Without room or rights for it, the next start takes the sources too. */
async function bundle(): Promise<void> {
  const { lowerPriority } = await import('@oddlot/host/operate');
  const command = join(import.meta.dirname, '../build/build-programs.ts');
  const child = spawn(process.execPath, [command, '--if-stale'], { stdio: 'ignore' });
  child.once('error', () => undefined);
  child.unref();
  lowerPriority(child.pid);
  process.once('exit', () => child.kill());
}
