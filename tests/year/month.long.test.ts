import { expect, test } from 'vitest';
import { grownOf, liveThrough, reportTable } from './year.ts';

/**
 * Runs a month of `npm run year` in one-hour steps. Start times are measured only by the command,
 * because other tests run at the same time as this one.
 */

const MONTH_DAYS = 30;

test('after a month, a venue needs no more memory and snapshot space than after a week', async () => {
  const report = await liveThrough({ days: MONTH_DAYS, seed: 1, step: '1h', starts: 1 });
  const judged = ['heapBytes', 'indexerBytes', 'snapshotBytes'] as const;
  expect(grownOf(report, judged), reportTable(report)).toEqual([]);
  // The whole month was processed: there are thousands of blocks and hundreds of settled and stored
  // markets.
  const { end, week } = report;
  expect(end.folderBytes['history.sqlite']).toBeGreaterThan(
    2 * (week.folderBytes['history.sqlite'] ?? 0),
  );
  expect(end.height).toBeGreaterThan(MONTH_DAYS * 24 * 4);
});
