import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vitest/config';
import { replacePrograms } from '../packages/venue/build/bundle-programs.ts';

/**
 * Parts that tests run in their own process start threads, some of them dozens of times. Each thread loads the one file that the
 * run bundled, as those of a venue's process do; from the sources it would strip the types of some hundred files first.
 */
export function threadsPlugin(): Plugin {
  const folderOf = (): string | undefined => process.env['ODDLOT_TEST_PROGRAMS'];
  return {
    name: 'threads',
    enforce: 'pre',
    // What is transformed is kept from run to run: the next one must not start the threads of this one.
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ sourceCode }) =>
        sourceCode.includes('import.meta.url') ? folderOf() : undefined,
      );
    },
    transform(code, id) {
      const folder = folderOf();
      if (folder === undefined || !code.includes('import.meta.url')) return undefined;
      const changed = replacePrograms(code, id, (name) => {
        return `new URL(${JSON.stringify(pathToFileURL(join(folder, `${name}.js`)).href)})`;
      });
      return changed === code ? undefined : { code: changed, map: null };
    },
  };
}
