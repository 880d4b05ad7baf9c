import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lowerPriority } from '@oddlot/host/operate';

/** A file of the page in all available encodings. */
export type PageFile = {
  readonly type: string;
  /** True if the name contains a hash of the content, so that the file can be cached forever. */
  readonly isHashed: boolean;
  readonly hash: string;
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
};

/** The path of a screen, with variable parts such as `$name`, and the scripts it needs first. */
export type Screen = { readonly path: string; readonly scripts: readonly string[] };

/**
 * The files of the built page. The entry is kept as text, because each response inserts a new
 * nonce; all other files are looked up by path.
 */
export type PageFiles = {
  readonly entry: string;
  readonly screens: readonly Screen[];
  readonly byPath: ReadonlyMap<string, PageFile>;
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** Matches paths in the folders whose file names contain a hash of the content. */
const HASHED = /^\/(?:docs\/)?assets\//;
const ENTRY = 'index.html';
const SCREENS = 'screens.json';
const STAMP = 'built-of.txt';

export function typeOf(extension: string): string {
  return TYPES[extension]!;
}

/** Reads the built trading page into memory. */
export async function readPageFiles(folder: string): Promise<PageFiles> {
  const files = new Map(await readFiles(folder));
  const [entry, list] = [files.get(`/${ENTRY}`), files.get(`/${SCREENS}`)];
  if (entry === undefined) throw new Error(`The built page does not contain ${ENTRY}`);
  const screens = JSON.parse(list?.plain.toString('utf8') ?? '[]') as readonly Screen[];
  for (const name of [ENTRY, SCREENS]) files.delete(`/${name}`);
  return { entry: entry.plain.toString('utf8'), screens, byPath: files };
}

/** Reads built files into memory. They are small, so they are not read from disk again. */
export async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    // The bundler creates a hidden folder that is not part of the page.
    .filter((path) => !path.startsWith('.'));
  const all = new Map<string, Buffer>();
  for (const path of paths) all.set(path.split(sep).join('/'), await readFile(join(folder, path)));
  const byPath = new Map<string, PageFile>();
  for (const [path, plain] of all) {
    const type = TYPES[extname(path)];
    if (type === undefined || path === STAMP) continue;
    const [br, gzip] = [all.get(`${path}.br`), all.get(`${path}.gz`)];
    const isHashed = HASHED.test(`/${path}`);
    byPath.set(`/${path}`, { type, isHashed, hash: contentHash(plain), plain, br, gzip });
  }
  return byPath;
}

/** Returns half of a hash, which is enough to distinguish versions of a file. */
export function contentHash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}

const PACKAGES = new URL('../../../', import.meta.url);
const BUILDS = {
  page: { command: 'web/build/build-web.ts', built: 'web/dist/page' },
  site: { command: 'site/build/build-site.ts', built: 'site/dist/site' },
} as const;
const KEPT_CHARACTERS = 4_000;

export type Build = {
  /** Resolves after the build with the folder that contains the files. */
  readonly done: Promise<string>;
  /** Stops the build. The previous files are kept. */
  stop(): void;
};

/**
 * Builds the trading page or the documentation site if its sources have changed, in a separate
 * process with low priority.
 */
export function buildFiles(name: keyof typeof BUILDS): Build {
  const [command, built] = [BUILDS[name].command, BUILDS[name].built].map((path) =>
    fileURLToPath(new URL(path, PACKAGES)),
  ) as [string, string];
  // An installed package contains the files, but not the build program.
  if (!existsSync(command)) return { done: Promise.resolve(built), stop: () => undefined };
  const child = spawn(process.execPath, [command, '--if-stale'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errorOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-KEPT_CHARACTERS);
  });
  const done = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(built);
      else
        reject(
          new Error(`Building the ${name} failed with exit code ${code}: ${errorOutput.trim()}`),
        );
    });
  });
  // The build must not slow down trading.
  lowerPriority(child.pid);
  return { done, stop: () => void child.kill() };
}
