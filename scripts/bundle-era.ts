import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/**
 * Bundles the engine of a release, with the projections that its snapshots hold, for the log of its era:
 *
 *     node scripts/bundle-era.ts <tree of the release> <its version of the rules> [tree of another]
 *
 * The tree is a checkout of the release with its dependencies installed; nothing of this one but the
 * entry file, and what stands beside it under the same name, goes in. A release that kept no history has its rows
 * from another one, the second tree. See packages/venue/eras/README.md.
 */

const [tree = '', rules = '', rowsTree = ''] = process.argv.slice(2);
const release = resolve(tree);
const folder = join(import.meta.dirname, '..', 'packages', 'venue', 'eras');
const entry = join(folder, `rules-${rules}.entry.js`);
const engine = join(folder, `rules-${rules}.engine.js`);
const rows = rowsTree === '' ? undefined : resolve(rowsTree);
const file = join(folder, `rules-${rules}.js`);

// Vite brings the bundler; the one of the release makes the file the same again.
const require = createRequire(join(release, 'node_modules', 'vite', 'package.json'));
const { rolldown } = await import(require.resolve('rolldown'));

type Resolver = { resolve(id: string, importer: string): Promise<unknown> };

const bundle = await rolldown({
  input: entry,
  cwd: release,
  platform: 'node',
  // Keccak is what it is; everything else that the release computed with is kept as it was.
  external: ['hash-wasm'],
  plugins: [
    {
      name: 'release',
      resolveId(this: Resolver, id: string, importer: string | undefined) {
        const source = join(release, 'packages', 'venue', 'src');
        const roots = { '#release/': source, ...rootsOfRows() };
        for (const [name, root] of Object.entries(roots)) {
          if (id.startsWith(name)) return join(root, id.slice(name.length));
        }
        const isOfRows = rows !== undefined && importer?.startsWith(`${rows}/`) === true;
        if (isOfRows && id === '@oddlot/engine') return engine;
        const isOurs = importer?.startsWith(`${folder}/`) === true && !id.startsWith('.');
        return isOurs ? this.resolve(id, join(source, 'venue.ts')) : undefined;
      },
    },
  ],
});
await bundle.write({ file, format: 'esm', minify: true });
await bundle.close();

function rootsOfRows(): Record<string, string> {
  if (rows === undefined) return {};
  return {
    '#engine/': join(release, 'packages', 'engine', 'src'),
    '#rows/': join(rows, 'packages', 'venue', 'src'),
  };
}

const sha256 = createHash('sha256')
  .update(await readFile(file))
  .digest('hex');
process.stdout.write(`${file}\nsha256 ${sha256}\n`);
