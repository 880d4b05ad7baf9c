import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildIfStale } from '@oddlot/web/build';
import { readSources, type Sources } from '../src/sources.ts';

/**
 * Builds the documentation site into `dist/site`. With `--if-stale`, it is built only if its
 * sources have changed.
 */

const SITE = join(import.meta.dirname, '..');
const ROOT = join(SITE, '..', '..');
const TOKENS = join(ROOT, 'packages/web/src/ui/tokens.css');
const THEME = /^:root(?:\[data-theme='light'\])? \{\n[^}]*\}/gm;

const sources = readSources(ROOT);
const version = await readVersion();
const tokens = (await readFile(TOKENS, 'utf8')).match(THEME)!.join('\n');

await buildIfStale({
  folder: join(SITE, 'dist/site'),
  sources: [join(SITE, 'src'), join(SITE, 'build')],
  texts: [...textsOf(sources), ['version', version], ['tokens', tokens]],
  encodings: ['gz'],
  build: writeSite,
});

async function readVersion(): Promise<string> {
  const manifest = await readFile(join(ROOT, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function* textsOf({ asyncApi, diagrams, linked, openApi, pages }: Sources) {
  yield* pages;
  yield* linked;
  yield* diagrams;
  yield ['openapi', openApi] as const;
  yield ['asyncapi', asyncApi] as const;
}

/** Writes all files of the site into a folder. */
async function writeSite(folder: string): Promise<void> {
  // These modules are loaded only here, because most starts find an up-to-date site.
  const [{ buildAssets }, { buildSite }] = await Promise.all([
    import('./build-assets.ts'),
    import('../src/site.ts'),
  ]);
  const assets = await buildAssets(folder, tokens);
  const { files } = buildSite(sources, { assets, version });
  const icon = [
    '/docs/favicon.svg',
    await readFile(join(ROOT, 'packages/web/public/favicon.svg')),
  ] as const;
  for (const [path, content] of [...files, icon]) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await rm(join(folder, '.vite'), { recursive: true });
}
