import { expect, test } from 'vitest';
import { marksSection } from './marks.ts';
import { positionsSection } from './positions.ts';

/** That the sections run is tested here, how long they take is not. */
test.each([
  ['positions', positionsSection],
  ['marks', marksSection],
] as const)('the section %s runs', async (_name, section) => {
  const rows = await section('tiny');
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row.result).not.toContain('NaN');
});
