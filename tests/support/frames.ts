import { expect } from 'vitest';
import { type Json, eventually } from './client.ts';
import { decimal, exactly, flag, integer, nullable, price, record, text, time } from './shape.ts';
import type { Socket } from './socket.ts';

export const onChannel = (channel: string) => (frame: Json) => frame.channel === channel;

export const orderUpdate = record({
  order: record({
    coin: text,
    symbol: text,
    instrumentId: integer,
    side: exactly('B', 'A'),
    limitPx: price,
    sz: price,
    origSz: price,
    filledSz: price,
    avgPx: nullable(decimal),
    oid: integer,
    timestamp: time,
    reduceOnly: flag,
    orderType: exactly('Market', 'Limit'),
    tif: text,
    isTrigger: exactly(false),
    triggerPx: decimal,
    cloid: nullable(text),
  }),
  status: exactly('open', 'filled', 'cancelled', 'rejected'),
  statusTimestamp: time,
});

export function updates(socket: Socket): Json[] {
  return socket.of('orderUpdates').flatMap((frame) => frame.data);
}

export async function untilStatus(socket: Socket, oid: number, status: string): Promise<Json> {
  return eventually(() => {
    const found = updates(socket).find((row) => row.order.oid === oid && row.status === status);
    if (!found) throw new Error(`${oid} not ${status} in ${JSON.stringify(updates(socket))}`);
    return found;
  });
}

/** Checks that sequence numbers increase by one without gaps or repeats. */
export function expectUnbroken(frames: Json[]): void {
  const numbers = frames.map((frame) => frame.seq);
  expect(numbers).toEqual(numbers.map((_, index) => numbers[0] + index));
}
