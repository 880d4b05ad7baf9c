import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const WEB = join(import.meta.dirname, '..');
const ROOT = join(WEB, '..', '..');

/** What the built page depends on, besides the versions that the manifests pin. */
const SOURCES = ['web', 'sdk', 'protocol', 'units'].map((name) => join(ROOT, 'packages', name));
/** Of a package: its sources and settings, not what is built from them nor what tests them. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist|testing)(?:\/|$)|\.test\.tsx?$|\.tsbuildinfo$/;

/** Names a state of the sources: another name means that the page must be built again. */
export async function sourceHash(): Promise<string> {
  const paths = (await Promise.all(SOURCES.map(filesOf))).flat().sort();
  const hash = createHash('sha256');
  const texts = await Promise.all(paths.map((path) => readFile(path)));
  for (const [at, path] of paths.entries()) {
    hash.update(`${relative(ROOT, path)}\0${texts[at]?.length ?? 0}\0`).update(texts[at] ?? '');
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
