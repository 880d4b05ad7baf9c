import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import type { Assets } from '../src/layout.ts';

const CLIENT = join(import.meta.dirname, '../src/client');

type Manifest = Readonly<
  Record<
    string,
    { readonly file: string; readonly css?: readonly string[]; readonly assets?: readonly string[] }
  >
>;

/** Bundles the scripts and styles. The colours come from the trading page. */
export async function buildAssets(folder: string, tokens: string): Promise<Assets> {
  const input = Object.fromEntries(
    ['main', 'theme', 'try'].map((name) => [name, join(CLIENT, `${name}.ts`)]),
  );
  await build({
    root: CLIENT,
    base: '/',
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: 'tokens',
        enforce: 'pre',
        transform: (css, id) => (id.endsWith('/site.css') ? `${tokens}\n${css}` : undefined),
      },
    ],
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsDir: 'docs/assets',
      assetsInlineLimit: 0,
      target: 'es2023',
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      manifest: true,
      rolldownOptions: { input },
    },
  });
  const text = await readFile(join(folder, '.vite/manifest.json'), 'utf8');
  const manifest = JSON.parse(text) as Manifest;
  const main = manifest['main.ts']!;
  const path = (file: string | undefined): string => `/${file}`;
  return {
    styles: path(main.css?.[0]),
    font: path(main.assets?.find((file) => file.endsWith('.woff2'))),
    script: path(main.file),
    theme: path(manifest['theme.ts']!.file),
    tryIt: path(manifest['try.ts']!.file),
  };
}
