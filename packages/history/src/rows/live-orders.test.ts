import { beforeEach, describe, expect, test } from 'vitest';
import { FollowedRows } from '@oddlot/testing/venue/followed-rows';
import { ALICE, BOB, BTC, TestVenue } from '@oddlot/testing/venue/ws/test-venue';

let venue: TestVenue;
let followed: FollowedRows;

beforeEach(() => {
  venue = TestVenue.open();
  followed = new FollowedRows(venue);
});

describe('rows of trigger orders', () => {
  const exit = { instrumentId: BTC.instrumentId, isBuy: false, size: 1000, reduceOnly: true };
  const trigger = (kind: 'takeProfit' | 'stopLoss', price: number) => ({
    ...exit,
    price,
    timeInForce: 'gtc' as const,
    trigger: { kind, price, isMarket: kind === 'stopLoss' },
  });
  /**
   * Places an order by alice for one BTC at 100 with TP/SL orders, and returns its placement time.
   */
  const placeBracket = (size = 1000): number => {
    const parent = { ...exit, isBuy: true, reduceOnly: false, price: 100_000, size };
    const exits = [trigger('takeProfit', 105_000), trigger('stopLoss', 97_000)];
    venue.signed(ALICE, {
      type: 'placeOrders',
      grouping: 'normal',
      orders: [{ ...parent, timeInForce: 'gtc' }, ...exits],
    });
    return venue.state.timeMs;
  };
  const timesOf = (orderId: number) =>
    new Set(followed.orders(orderId).map(({ row }) => row.order.timestamp));
  /** Triggers the take-profit order, which rests at 105 and fills in two trades. */
  const takeProfit = () => {
    venue.oracle(106);
    venue.order(BOB, { buy: true, price: 105, size: 0.4 });
    venue.order(BOB, { buy: true, price: 105, size: 0.6 });
    const statuses = followed.orders(2).map(({ row }) => row.status);
    expect(statuses.slice(-3)).toEqual(['triggered', 'triggered', 'filled']);
  };

  test('R-trigger: a triggered order keeps its placement time until its last row', () => {
    const placedMs = placeBracket();
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    takeProfit();
    expect(timesOf(2)).toEqual(new Set([placedMs]));
    expect(timesOf(3)).toEqual(new Set([placedMs]));
    expect([...followed.projector.rememberedOrders()].filter((id) => id <= 3)).toEqual([]);
  });

  test('a snapshot contains the placement times of trigger orders', () => {
    const placedMs = placeBracket();
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    const dumped = JSON.parse(JSON.stringify(followed.projector.dump()));
    followed.projector.reset();
    followed.projector.restore(dumped);
    takeProfit();
    expect(timesOf(2)).toEqual(new Set([placedMs]));
  });

  test('trigger orders that already exist when the history begins keep their placement time', () => {
    const placedMs = placeBracket();
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    followed = new FollowedRows(venue);
    venue.pass(1_000);
    takeProfit();
    expect(timesOf(2)).toEqual(new Set([placedMs]));
  });

  test('R-grouping: a parent order is reported again even if only its children change', () => {
    placeBracket();
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    expect(followed.orders(1).at(-1)?.row.status).toBe('filled');
    const parentRows = () =>
      followed.rows.flatMap((rows) =>
        (rows.updatedParents ?? []).filter(({ orderId }) => orderId === 1),
      );
    // Restores the projector from its dump, as a restart would do.
    const dumped = JSON.parse(JSON.stringify(followed.projector.dump()));
    followed.projector.reset();
    followed.projector.restore(dumped);
    const before = parentRows().length;
    takeProfit();
    const added = parentRows().slice(before);
    expect(added.map(({ row }) => row.order.children.map(({ status }) => status))).toEqual([
      ['triggered', 'open'],
      ['triggered', 'open'],
      ['filled', 'cancelled'],
    ]);
    for (const { row } of added) expect(row).toMatchObject({ status: 'filled', order: { oid: 1 } });
    const last = added.at(-1)?.row.order.children ?? [];
    for (const child of last) expect(child).toEqual(followed.orders(child.oid).at(-1)?.row.order);
    expect([...followed.projector.rememberedOrders()].filter((id) => id <= 3)).toEqual([]);
  });

  test('R-grouping: the last row of a parent ended by a TP/SL order includes the final state of its children', () => {
    placeBracket(2000);
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    venue.order(BOB, { buy: true, price: 105, size: 1 });
    venue.oracle(106);
    const { row } = followed.orders(1).at(-1)!;
    expect(row.status).toBe('cancelled');
    expect(row.order.children.map(({ oid, status }) => [oid, status])).toEqual([
      [2, 'filled'],
      [3, 'cancelled'],
    ]);
    for (const child of row.order.children) {
      expect(child).toEqual(followed.orders(child.oid).at(-1)?.row.order);
    }
  });
});
