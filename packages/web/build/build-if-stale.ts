import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { withBuildLock } from './build-lock.ts';

type Build = {
  /** The output folder. */
  readonly folder: string;
  /** The folders that contain the sources. */
  readonly sources: readonly string[];
  /** Other inputs of the build, by name. */
  readonly texts?: Iterable<readonly [name: string, text: string | Buffer]>;
  readonly encodings: readonly ('br' | 'gz')[];
  /** Writes the files into an empty folder. */
  readonly build: (folder: string) => Promise<void>;
};

const STAMP = 'built-of.txt';

/**
 * Builds and compresses files that the venue serves. With the flag `--if-stale`, they are built
 * only if their sources have changed.
 */
export async function buildIfStale(options: Build): Promise<void> {
  // The build is the same one that users get, even when a test starts it.
  process.env['NODE_ENV'] = 'production';
  // Everyone may read these files, unlike the files of a venue, which may be what started this
  // program.
  process.umask(0o022);
  const onlyIfStale = process.argv.includes('--if-stale');
  const { folder } = options;
  const hash = await sourceHash(options);
  const isCurrent = async (): Promise<boolean> =>
    (await readFile(join(folder, STAMP), 'utf8').catch(() => '')).trim() === hash;
  if (onlyIfStale && (await isCurrent())) return;
  await mkdir(dirname(folder), { recursive: true });
  await withBuildLock(`${folder}.lock`, async () => {
    if (!onlyIfStale || !(await isCurrent())) await buildNow(options, hash);
  });
}

/**
 * Builds in a different folder and then renames it, because a venue may be reading the old files.
 */
async function buildNow({ build, encodings, folder }: Build, hash: string): Promise<void> {
  const next = `${folder}-next`;
  await rm(next, { recursive: true, force: true });
  await mkdir(next);
  await build(next);
  await compressAll(next, encodings);
  await writeFile(join(next, STAMP), `${hash}\n`);
  await rm(folder, { recursive: true, force: true });
  await rename(next, folder);
}

const ROOT = join(import.meta.dirname, '../../..');
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist|testing)(?:\/|$)|\.test\.tsx?$|\.tsbuildinfo$/;

async function sourceHash({ sources, texts = [] }: Build): Promise<string> {
  const paths = (await Promise.all(sources.map(filesOf))).flat().sort();
  const files = await Promise.all(paths.map((path) => readFile(path)));
  const hash = createHash('sha256');
  const named = paths.map((path, at) => [relative(ROOT, path), files[at]!] as const);
  for (const [name, text] of [...named, ...texts]) {
    hash.update(`${name}\0${text.length}\0`).update(text);
  }
  return hash.digest('hex');
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !LEFT_OUT.test(relative(folder, path)));
}

const COMPRESSIBLE = /\.(?:js|css|html|svg|json|md|txt|webmanifest)$/;
const BYTES_MIN = 512;
const BROTLI_QUALITY = 11;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

async function compressAll(folder: string, encodings: Build['encodings']): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(paths.map((path) => compress(path, encodings)));
}

async function compress(path: string, encodings: Build['encodings']): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < BYTES_MIN) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  if (encodings.includes('br')) await writeFile(`${path}.br`, await brotli(bytes, { params }));
  if (encodings.includes('gz')) await writeFile(`${path}.gz`, await zip(bytes, { level: 9 }));
}
