import type { FundingHistoryRow } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { fundingSums } from './funding-table.tsx';

const HOUR_MS = 3_600_000;
const row = (time: number, fundingRate: string): FundingHistoryRow =>
  ({ time, fundingRate }) as FundingHistoryRow;

test('funding rates are summed over a day and a week, and the mean rate is annualised', () => {
  const nowMs = 100 * HOUR_MS;
  const rows = [
    row(nowMs - 30 * HOUR_MS, '0.0003'),
    row(nowMs - 2 * HOUR_MS, '0.0001'),
    row(nowMs - HOUR_MS, '-0.0002'),
  ];
  expect(fundingSums(rows, nowMs)).toEqual({
    day: '-0.0001',
    week: '0.0002',
    yearly: '0.58399999416',
    rates: [0.0003, 0.0001, -0.0002],
  });
});

test('funding rates are undefined if no funding has been paid yet', () => {
  const nothing = { day: undefined, week: undefined, yearly: undefined, rates: [] };
  expect(fundingSums([], 1)).toEqual(nothing);
});
