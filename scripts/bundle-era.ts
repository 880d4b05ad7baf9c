import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/**
 * Bundles a release's engine, which later releases need to open folders written by that release
 * (packages/replica/eras/README.md):
 *
 * `node scripts/bundle-era.ts <tree of the release> <its rules version> [output file]`
 *
 * The tree is a checkout of the release with its dependencies installed. If the release has no
 * entry file, the current tree's is used. All other files come from the release.
 */

const [tree = '', rules = '', output] = process.argv.slice(2);
const release = resolve(tree);
const folder = join(import.meta.dirname, '..', 'packages', 'replica', 'eras');
const source = join(release, 'packages', 'venue', 'src');
const written = join(folder, `rules-${rules}.entry.js`);
const input = existsSync(written) ? written : join(source, 'create-engine.ts');
const file = output ?? join(folder, `rules-${rules}.js`);

// The bundler comes from the release's version of Vite, so that the same bytes can be reproduced.
const require = createRequire(join(release, 'node_modules', 'vite', 'package.json'));
const { rolldown } = await import(require.resolve('rolldown'));

type Resolver = { resolve(id: string, importer: string): Promise<unknown> };

const bundle = await rolldown({
  input,
  cwd: release,
  platform: 'node',
  // Keccak never changes, so it is not bundled. All other code comes from the release.
  external: ['hash-wasm'],
  plugins: [
    {
      name: 'release',
      resolveId(this: Resolver, id: string, importer: string | undefined) {
        if (id.startsWith('#release/')) return join(source, id.slice('#release/'.length));
        const isOurs = importer?.startsWith(`${folder}/`) === true && !id.startsWith('.');
        return isOurs ? this.resolve(id, join(source, 'venue.ts')) : undefined;
      },
    },
  ],
});
await bundle.write({ file, format: 'esm', minify: true });
await bundle.close();

const sha256 = createHash('sha256')
  .update(await readFile(file))
  .digest('hex');
process.stdout.write(`${file}\nsha256 ${sha256}\n`);
