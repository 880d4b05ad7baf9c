import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vitest/config';
import { replacePrograms } from '../packages/venue/build/bundle-programs.ts';

/**
 * Makes tests start threads from bundled files, because a run starts dozens of threads. Each thread
 * then loads the single file that the run has bundled, as in a venue. If it started from the
 * sources, it would first have to strip the types from hundreds of files.
 */
export function threadsPlugin(): Plugin {
  const folderOf = (): string | undefined => process.env['ODDLOT_TEST_PROGRAMS'];
  return {
    name: 'threads',
    enforce: 'pre',
    // Transformed code is cached across runs, but the next run must not start the thread files of
    // this run.
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
