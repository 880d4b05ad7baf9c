import type { HistOrderRow } from '@oddlot/protocol';
import { hash } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { orderReport, type ReportParts } from './order-report.ts';

/**
 * Returns the slippage of a one-lot order for a given fill price and a mark at its arrival, in
 * units of 0.0001.
 */
function taken(side: 'A' | 'B', at: { readonly price: number; readonly mark: number }) {
  const place = { height: 5, timeMs: 1_000 };
  const order = { side, dir: 'Buy', origSz: '0.01', sz: '0', oid: 7, cloid: null };
  const entered = { bestBid: 0, bestAsk: 0, markHalves: 2 * at.mark, oracle: 0, met: [] };
  const trace = { orderId: 7, entered, taker: { lots: 1, notional: at.price } };
  const parts = {
    row: { order, status: 'filled' } as unknown as HistOrderRow,
    received: { ...place, txHash: hash(`0x${'5e'.repeat(32)}`) },
    arrived: { ...place, trace },
    later: {},
    left: undefined,
    szDecimals: 2,
    fills: [],
    end: place,
  };
  return orderReport(parts as unknown as ReportParts).slippage?.mark;
}

describe('R-rounding: slippage is rounded to hundredths of a basis point, and ties are rounded up', () => {
  test.each<[side: 'A' | 'B', price: number, mark: number, shown: string]>([
    // One unit of 2,000,000 is half of a hundredth of a basis point.
    ['B', 2_000_001, 2_000_000, '0.01'],
    ['B', 1_999_999, 2_000_000, '0'],
    ['A', 1_999_999, 2_000_000, '0.01'],
    ['A', 2_000_001, 2_000_000, '0'],
    ['B', 1_999_997, 2_000_000, '-0.01'],
    ['B', 1_999_998, 2_000_000, '-0.01'],
    ['B', 2_000_003, 2_000_000, '0.02'],
    ['B', 2_000_000, 2_000_000, '0'],
  ])('%s at %i against %i: %s', (side, price, mark, shown) => {
    expect(taken(side, { price, mark })).toBe(shown);
  });
});
