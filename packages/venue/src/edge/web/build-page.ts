import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lowerPriority } from '@oddlot/host/operate';

const WEB = new URL('../../../../web/', import.meta.url);
const COMMAND = fileURLToPath(new URL('build/build-web.ts', WEB));
const BUILT = fileURLToPath(new URL('dist/page', WEB));
const KEPT_CHARACTERS = 4_000;

export type PageBuild = {
  /** The folder of the page, once it is up to date. */
  readonly done: Promise<string>;
  /** Ends the build; what was built before stays. */
  stop(): void;
};

/** Brings the built page up to date, in a process of its own with low priority. */
export function buildPage(): PageBuild {
  // An installed package brings the page and not what builds it.
  if (!existsSync(COMMAND)) return { done: Promise.resolve(BUILT), stop: () => undefined };
  const child = spawn(process.execPath, [COMMAND, '--if-stale'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told = (told + text).slice(-KEPT_CHARACTERS);
  });
  const done = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(BUILT);
      else reject(new Error(`Building the page failed with exit code ${code}: ${told.trim()}`));
    });
  });
  // Who trades does not wait for who builds.
  lowerPriority(child.pid);
  return { done, stop: () => void child.kill() };
}
