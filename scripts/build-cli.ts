import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRIES } from '../packages/venue/build/bundle-programs.ts';
import { emptyFolder, writePackageFolder } from './package-folder.ts';

/**
 * Builds the `oddlot` package for external users (`npm run build:cli`). `npm pack
 * ./packages/cli/dist/oddlot` packs the result.
 */

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'packages/cli/dist/oddlot');

emptyFolder(OUT);
cpSync(join(ROOT, 'packages/cli/bin/oddlot.mjs'), join(OUT, 'bin/oddlot.mjs'));
await writePackageFolder({
  out: OUT,
  entries: {
    ...ENTRIES,
    cli: 'cli/src/main.ts',
    'market-maker': '../examples/market-maker.ts',
    'outcome-maker': '../examples/outcome-maker.ts',
  },
  readme: 'packages/cli/README.md',
  manifest: {
    name: 'oddlot',
    description: 'A self-hosted trading venue and its tools',
    bin: { oddlot: 'bin/oddlot.mjs' },
    files: ['bin'],
  },
});
