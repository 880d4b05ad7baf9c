import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const CATALOGUE = join(import.meta.dirname, '..', 'src', 'words', 'en.json');
/** These sections are loaded along with their screens or dialogs. */
const OF_SCREENS = new Set([
  'account',
  'activity',
  'builder',
  'demo',
  'explorer',
  'interest',
  'operate',
  'outcomes',
  'perps',
  'portfolio',
  'report',
]);
const COMMON = 'common';
const PREFIX = 'words:';

/**
 * Provides a language's texts by section (`words:perps`), while translators edit one file per
 * language.
 */
export function wordsPlugin(): Plugin {
  return {
    name: 'words',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    async load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      this.addWatchFile(CATALOGUE);
      const section = id.slice(PREFIX.length + 1);
      const texts = JSON.parse(await readFile(CATALOGUE, 'utf8')) as Record<string, object>;
      const part = Object.fromEntries(
        Object.entries(texts).filter(([name]) =>
          section === COMMON ? !OF_SCREENS.has(name) : name === section,
        ),
      );
      if (Object.keys(part).length === 0) throw new Error(`unknown section of texts: ${section}`);
      return `export const texts = ${JSON.stringify(part)};`;
    },
  };
}
