import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RULES_VERSION } from '@oddlot/engine';
import { expect, test } from 'vitest';
import { RULES_STEP } from './earlier-engine.ts';

/** The checksum of the output of `scripts/bundle-era.ts` on the source tree of release 0.3.0. */
const SHA256 = '0e732bb577eda2e83aa6b5e635f3e1e50fb9be775fb13d64cb75b7c4ee7646a8';

test('R-era: the engine of the previous rules version is identical to the released one', async () => {
  const rules = RULES_VERSION - 1;
  const bytes = await readFile(new URL(`../eras/rules-${rules}.js`, import.meta.url));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(SHA256);
  expect((await RULES_STEP.loadEarlier()).rules).toBe(rules);
});
