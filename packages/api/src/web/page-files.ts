import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lowerPriority } from '@oddlot/host/operate';

/** File of the page in all available encodings. */
export type PageFile = {
  readonly type: string;
  /** True if the name contains a hash of the content, so the file can be cached forever. */
  readonly isHashed: boolean;
  readonly hash: string;
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
};

/** Path of the page, with variable parts such as `$name`, and the scripts that it needs first. */
export type Screen = { readonly path: string; readonly scripts: readonly string[] };

/**
 * Built page. The entry is a text, because each visitor gets another nonce; all other files are
 * found by path.
 */
export type PageFiles = {
  readonly entry: string;
  readonly screens: readonly Screen[];
  readonly byPath: ReadonlyMap<string, PageFile>;
};

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** Folder of the files whose names contain a hash of their content. */
const HASHED = '/assets/';
const ENTRY = 'index.html';
const SCREENS = 'screens.json';

/** Reads a built page into memory. It is small, and is not read from disk again. */
export async function readPageFiles(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const all = new Map<string, Buffer>();
  for (const path of paths) all.set(path.split(sep).join('/'), await readFile(join(folder, path)));
  const byPath = new Map<string, PageFile>();
  for (const [path, plain] of all) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const [br, gzip] = [all.get(`${path}.br`), all.get(`${path}.gz`)];
    const isHashed = `/${path}`.startsWith(HASHED);
    byPath.set(`/${path}`, { type, isHashed, hash: contentHash(plain), plain, br, gzip });
  }
  const entry = all.get(ENTRY);
  if (entry === undefined) throw new Error(`The built page does not contain ${ENTRY}`);
  const screens = JSON.parse(all.get(SCREENS)?.toString('utf8') ?? '[]') as readonly Screen[];
  return { entry: entry.toString('utf8'), screens, byPath };
}

/** Returns half of a hash, which is sufficient to distinguish versions of a file. */
export function contentHash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}

const WEB = new URL('../../../web/', import.meta.url);
const COMMAND = fileURLToPath(new URL('build/build-web.ts', WEB));
const BUILT = fileURLToPath(new URL('dist/page', WEB));
const KEPT_CHARACTERS = 4_000;

export type PageBuild = {
  /** Resolves with the folder of the page after the build. */
  readonly done: Promise<string>;
  /** Stops the build. The previous page stays. */
  stop(): void;
};

/** Builds the page if its sources have changed, in a separate process with low priority. */
export function buildPage(): PageBuild {
  // An installed package contains the page, but not the program that builds it.
  if (!existsSync(COMMAND)) return { done: Promise.resolve(BUILT), stop: () => undefined };
  const child = spawn(process.execPath, [COMMAND, '--if-stale'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errorOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-KEPT_CHARACTERS);
  });
  const done = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(BUILT);
      else
        reject(new Error(`Building the page failed with exit code ${code}: ${errorOutput.trim()}`));
    });
  });
  // The build must not slow down trading.
  lowerPriority(child.pid);
  return { done, stop: () => void child.kill() };
}
