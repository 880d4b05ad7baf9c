import type { AssetPosition, TriggerOrder } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { exitsAmong } from './waiting-exits.ts';

describe('trigger orders that would close a position are found', () => {
  test('the TP/SL orders of a position are those on the opposite side of its market, take-profits first', () => {
    const triggers = [
      trigger({ oid: 1, side: 'A', triggerPx: '96000' }),
      trigger({ oid: 2, side: 'A', triggerPx: '98000' }),
      trigger({ oid: 3, side: 'B', triggerPx: '96500' }),
      trigger({ oid: 4, side: 'B', triggerPx: '99000' }),
      trigger({ oid: 5, side: 'A', triggerPx: '99000', reduceOnly: false }),
      trigger({ oid: 6, side: 'A', triggerPx: '3000', asset: '2' }),
    ];
    const ids = (szi: string): readonly number[] =>
      exitsAmong(position(szi), triggers).map(({ oid }) => oid);
    expect(ids('0.01')).toEqual([2, 1]);
    expect(ids('-0.01')).toEqual([3, 4]);
  });
});

function position(szi: string): AssetPosition {
  const fields = { asset: '1', szi } as AssetPosition['position'];
  return { position: fields, tpsl: [], type: 'OneWay' };
}

function trigger(fields: Partial<TriggerOrder>): TriggerOrder {
  return { asset: '1', reduceOnly: true, ...fields } as TriggerOrder;
}
