import { join } from 'node:path';
import { ENTRIES } from '../packages/venue/build/bundle-programs.ts';
import { emptyFolder, writePackageFolder } from './package-folder.ts';
import { importedNames, keepReachable, writeTypes } from './public-types.ts';

/**
 * Builds the `@oddlot/testkit` package for external users (`npm run build:testkit`). `npm pack
 * ./packages/testkit/dist/npm` packs the result. It contains the venue, the SDK and their types.
 */

const ROOT = join(import.meta.dirname, '..');
const TESTKIT = join(ROOT, 'packages/testkit');
const OUT = join(TESTKIT, 'dist/npm');
/** The folder in which `tsconfig.package.json` places the declarations. */
const TYPES = join(OUT, 'types');
/** Packages whose types are included in the testkit's types. */
const PARTS = ['units', 'protocol', 'sdk', 'testkit'];
/** Packages imported only by declarations, each with the package that specifies its version. */
const TYPED = { zod: 'protocol' } as const;

emptyFolder(OUT);
writeTypes(join(TESTKIT, 'tsconfig.package.json'), { out: TYPES, parts: PARTS });
keepReachable(TYPES, 'testkit/index.d.ts');
const unknown = [...importedNames(TYPES)].filter((name) => !Object.hasOwn(TYPED, name));
if (unknown.length > 0) throw new Error(`the declarations import ${unknown.join(', ')}`);

const threads = Object.entries(ENTRIES).filter(([name]) => name.endsWith('-thread'));
await writePackageFolder({
  out: OUT,
  entries: { ...Object.fromEntries(threads), testkit: 'testkit/src/index.ts' },
  readme: 'packages/testkit/README.md',
  manifest: {
    name: '@oddlot/testkit',
    description: 'A complete venue inside a test, with controlled clock, prices and faults',
    exports: {
      '.': { types: './types/testkit/index.d.ts', default: './dist/testkit.js' },
      './package.json': './package.json',
    },
    files: ['types'],
  },
  dependencies: TYPED,
});
