import { expect, test } from 'vitest';
import { grownOf, liveThrough, tell } from './year.ts';

/** A month of `npm run year`, in hours. How long a start takes is for the command: here others run beside it. */

const MONTH_DAYS = 30;

test('after a month a venue weighs what it did after a week, in memory and in snapshots', async () => {
  const report = await liveThrough({ days: MONTH_DAYS, seed: 1, step: '1h', starts: 1 });
  const judged = ['heapBytes', 'indexerBytes', 'snapshotBytes'] as const;
  expect(grownOf(report, judged), tell(report)).toEqual([]);
  // It was lived through: thousands of blocks, and hundreds of markets that are settled and stored.
  const { end, week } = report;
  expect(end.folderBytes['history.sqlite']).toBeGreaterThan(
    2 * (week.folderBytes['history.sqlite'] ?? 0),
  );
  expect(end.height).toBeGreaterThan(MONTH_DAYS * 24 * 4);
});
