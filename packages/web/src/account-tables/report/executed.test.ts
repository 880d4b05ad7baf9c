import type { OrderReport, ReportedFill } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { filledAhead, hasAllFills, takenLevels, waitedMs } from './report-dialog.tsx';

const BOOK = { bestBid: '99', bestAsk: '101', midPx: '100', markPx: '100', oraclePx: '100' };

let trades = 0;

function fill(px: string, sz: string, rest: Partial<ReportedFill> = {}): ReportedFill {
  trades += 1;
  const figures = { fee: '0.01', builderFee: '0.002', role: 'taker' } as const;
  return { time: 5, height: 7, tid: trades, px, sz, ...figures, ...rest };
}

function reportOf(rest: Partial<OrderReport>): OrderReport {
  return {
    received: { time: 5, txHash: '0x', height: 7 },
    entered: { time: 5, height: 7 },
    arrival: { ...BOOK, met: [] },
    fills: [],
    filledSz: '0',
    resting: null,
    ...rest,
  } as OrderReport;
}

describe('a report shows the levels that an order took', () => {
  const met = [
    { px: '101', sz: '3' },
    { px: '102', sz: '3' },
  ];
  const took = [fill('101', '1'), fill('101.0', '2'), fill('102', '0.5')];

  test('each taken level shows its size and cost, summed over all makers', () => {
    const report = reportOf({ arrival: { ...BOOK, met }, fills: took, filledSz: '3.5' });
    expect(takenLevels(report)).toEqual([
      { px: '101', rested: '3', taken: { sz: '3', fee: '0.02', builderFee: '0.004' } },
      { px: '102', rested: '3', taken: { sz: '0.5', fee: '0.01', builderFee: '0.002' } },
    ]);
  });

  test('the taken levels exclude later fills, whether the order was resting or had been amended', () => {
    const later = [fill('101', '1', { role: 'maker' }), fill('102', '1', { height: 9 })];
    const fills = [...took, ...later];
    const report = reportOf({ arrival: { ...BOOK, met }, fills, filledSz: '5.5' });
    expect(takenLevels(report).map(({ taken }) => taken?.sz)).toEqual(['3', '0.5']);
  });

  test('the taken levels are unknown if the oldest fills are missing', () => {
    const fills = took.slice(1);
    const report = reportOf({ arrival: { ...BOOK, met }, fills, filledSz: '3.5' });
    expect(hasAllFills(report)).toBe(false);
    expect(takenLevels(report)).toEqual([
      { px: '101', rested: '3', taken: undefined },
      { px: '102', rested: '3', taken: undefined },
    ]);
  });

  test('the taken levels are empty for an order that did not enter the book', () => {
    expect(takenLevels(reportOf({ entered: null, arrival: null }))).toEqual([]);
  });
});

test('the delay before an order reaches the book is measured, zero or unknown', () => {
  expect(waitedMs(reportOf({}))).toBe(0);
  expect(waitedMs(reportOf({ entered: { time: 305, height: 10 } }))).toBe(300);
  expect(waitedMs(reportOf({ entered: null }))).toBeUndefined();
});

test('the size filled ahead of an order is shown if it can be determined', () => {
  const resting = { from: 5, to: null, px: '99', aheadAtStart: '5.5', ahead: '2' };
  expect(filledAhead(reportOf({ resting }))).toBe('3.5');
  expect(filledAhead(reportOf({ resting: { ...resting, ahead: null } }))).toBeUndefined();
  expect(filledAhead(reportOf({ resting: { ...resting, aheadAtStart: null } }))).toBeUndefined();
  expect(filledAhead(reportOf({}))).toBeUndefined();
});
