import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REPOSITORY } from '../support/venue-process.ts';

/**
 * Goal: a trading page loads little code for the SDK. Method: bundle typical imports as a page
 * would, minified and compressed, but leaving out the library for curves and hashes, which wallets
 * include in any case.
 */

const SOURCES = join(REPOSITORY, 'packages/sdk/src');
/** The maximum gzipped size of each bundle, in bytes. */
const BUDGETS: readonly (readonly [
  what: string,
  entryPoint: string,
  names: string,
  bytesMax: number,
])[] = [
  ['the whole client', 'index.ts', 'createClient', 30_000],
  ['one action', 'actions.ts', 'createSender, order', 12_000],
  ['queries and streams alone', 'index.ts', 'createReader', 12_000],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-size-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(BUDGETS)(
  'the SDK bundle of %s is within its size limit',
  async (what, entryPoint, names, bytesMax) => {
    const entry = join(folder, `${what.replaceAll(' ', '-')}.ts`);
    const path = JSON.stringify(join(SOURCES, entryPoint));
    await writeFile(entry, `import { ${names} } from ${path};\nglobalThis.used = [${names}];\n`);
    const external = (id: string): boolean => id === 'ws' || id.startsWith('@noble/');
    const lib = { entry, formats: ['es' as const] };
    const options = {
      write: false,
      minify: true,
      target: 'es2022',
      lib,
      rolldownOptions: { external },
    };
    const built = await build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      build: options,
    });
    const outputs = ([built].flat() as Rolldown.RolldownOutput[]).flatMap(({ output }) => output);
    const code = outputs.map((each) => (each.type === 'chunk' ? each.code : '')).join('\n');
    const modules = outputs.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []));
    expect(modules.filter((id) => /node_modules\/(?:zod|viem|ethers)\//.test(id))).toEqual([]);
    const bytes = gzipSync(code).length;
    // This shows that the bundle is not empty.
    expect(bytes).toBeGreaterThan(bytesMax / 2);
    expect(bytes).toBeLessThanOrEqual(bytesMax);
  },
);
