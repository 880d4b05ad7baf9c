import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadEarlierEngine } from './earlier-engine.ts';
import { EarlierRulesError } from './replica-error.ts';

/** By the version of the rules: what `scripts/bundle-era.ts` gave for the tree of the release. */
const SHA256: Readonly<Record<number, string>> = {
  1: '5a6bb08285d91dbe3129419c2edc5780b9a0ade64b1bc5834cc9415ba43136aa',
  2: '077bcc295150adde464b4df1912155c330f669bae155326209e99c6594ffbb26',
  3: '0e732bb577eda2e83aa6b5e635f3e1e50fb9be775fb13d64cb75b7c4ee7646a8',
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
  await expect(loading).rejects.toThrow('The data folder uses rules 0');
});
