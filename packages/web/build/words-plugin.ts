import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const CATALOGUE = join(import.meta.dirname, '..', 'src', 'words', 'en.json');
/** Sections that screens, and dialogs of few, bring with them: whoever opens one screen does not load the texts of all. */
const OF_SCREENS = new Set([
  'account',
  'activity',
  'builder',
  'explorer',
  'interest',
  'operate',
  'outcomes',
  'perps',
  'portfolio',
  'report',
]);
/** What every screen shows. */
const COMMON = 'common';
const PREFIX = 'words:';

/**
 * One file holds every text of a language, so that a translator sees it whole; the page loads it in parts.
 * `words:perps` is one section of it, `words:common` what no screen brings.
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
