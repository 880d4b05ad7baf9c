import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** One file of the page as it is served, ready-made in each of the encodings that it has. */
export type PageFile = {
  readonly type: string;
  /** Its name changes with what is in it, so that it may be kept for ever. */
  readonly isHashed: boolean;
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
};

/** A built page: its entry as text, since every visitor gets another nonce in it, and all other files by path. */
export type PageFiles = {
  readonly entry: string;
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

/** Where the bundler puts what it names by content. */
const HASHED = '/assets/';
const ENTRY = 'index.html';

/** Reads a built page into memory: it is small, and nothing of it touches the disk again. */
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
    byPath.set(`/${path}`, { type, isHashed: `/${path}`.startsWith(HASHED), plain, br, gzip });
  }
  const entry = all.get(ENTRY);
  if (entry === undefined) throw new Error(`The built page lacks ${ENTRY}`);
  return { entry: entry.toString('utf8'), byPath };
}
