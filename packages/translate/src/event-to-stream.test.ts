import { TIMER } from '@oddlot/engine';
import { describe, expect, test } from 'vitest';
import { ALICE, BOB, BTC, GENESIS, TestVenue } from '@oddlot/testing/venue/ws/test-venue';
import type { AppliedBlock } from '@oddlot/replica/block';
import { assetContext, causeHash, liveOrderRecords } from './event-to-stream.ts';

describe('the hash of an effect identifies its cause', () => {
  test('an effect has the hash of its request, or of the block if it was not caused by a request', () => {
    const venue = TestVenue.open();
    const blocks: AppliedBlock[] = [];
    venue.onBlock((block) => blocks.push(block));
    venue.order(ALICE, { buy: true, price: 99, size: 1 });
    venue.credit(BOB);
    const [order, faucet] = blocks as [AppliedBlock, AppliedBlock];
    expect(causeHash(order, 0)).toMatch(/^0xf/);
    expect(causeHash(order, TIMER)).toBe(order.hash);
    expect(causeHash(faucet, 0)).toBe(faucet.hash);
  });
});

describe('live orders are reported with their status', () => {
  test('a partly filled live order has the status open', () => {
    const venue = TestVenue.open();
    venue.order(ALICE, { sell: true, price: 101, size: 1 });
    venue.order(BOB, { buy: true, price: 101, size: 0.25 });
    const [record, ...rest] = liveOrderRecords(venue.state, ALICE);
    expect(rest).toEqual([]);
    expect(record).toMatchObject({
      status: 'open',
      statusTimestamp: venue.state.timeMs,
      order: { side: 'A', sz: '0.75', origSz: '1', filledSz: '0.25', avgPx: '101' },
    });
  });
});

describe('the asset context includes a perp’s prices', () => {
  test('prices are empty before the first oracle price', () => {
    const venue = new TestVenue();
    venue.apply([GENESIS, { type: 'registerPerp', perp: BTC }]);
    const { ctx } = assetContext(venue.state, BTC) as { ctx: object };
    expect(ctx).toMatchObject({ markPx: '', oraclePx: '', prevDayPx: '', midPx: null });
  });
});
