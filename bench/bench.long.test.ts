import { expect, test } from 'vitest';
import { fanoutSection } from './fanout.ts';
import { growthSection } from './growth.ts';
import { hostileSection } from './hostile.ts';
import { latencySection } from './latency.ts';
import { readsSection } from './reads.ts';
import type { Section } from './report.ts';
import { requestSection } from './request.ts';
import { restartSection } from './restart.ts';

/** Sections that start several venues run only under `npm run test:long`. */

const SECTIONS: Readonly<Record<string, Section>> = {
  request: requestSection,
  restart: restartSection,
  hostile: hostileSection,
  latency: latencySection,
  reads: readsSection,
  fanout: fanoutSection,
  growth: growthSection,
};

test.each(Object.entries(SECTIONS))('the benchmark section %s runs', async (_name, section) => {
  const rows = await section('tiny');
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row.result).not.toContain('NaN');
});
