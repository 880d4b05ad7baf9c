import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadEarlierEngine } from './earlier-engine.ts';
import { EarlierRulesError } from './replica-error.ts';

/** By the version of the rules: what `scripts/bundle-era.ts` gave for the tree of the release. */
const SHA256: Readonly<Record<number, string>> = {
  1: '86ae5f65bbd86ef1ba381655b2d632cd849774418900125f7f0ee5e2a83dd786',
};

test.each(Object.entries(SHA256))(
  'R-era: the engine of rules %s is the one that was kept',
  async (rules, sha256) => {
    const file = new URL(`../../eras/rules-${rules}.js`, import.meta.url);
    const bytes = await readFile(file);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    expect((await loadEarlierEngine(Number(rules))).rules).toBe(Number(rules));
  },
);

test('R-era: rules without an engine are refused with the release that has it', async () => {
  const loading = loadEarlierEngine(0);
  await expect(loading).rejects.toThrow(EarlierRulesError);
  await expect(loading).rejects.toThrow('the data folder is of rules 0');
});
