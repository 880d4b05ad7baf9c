import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { VirtualTiming } from '@oddlot/testing/venue/ws/test-edge';
import { Connection, Outbox } from './connection.ts';
import { WS_LIMITS } from '../ws-limits.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Creates clients that read immediately, and records the writes to each. */
function readers(count: number) {
  const outbox = new Outbox();
  const writes: Buffer[][] = [];
  const connections = Array.from({ length: count }, (_, at) => {
    writes[at] = [];
    const wire = new Writable({
      write: (chunk: Buffer, _encoding, taken) => {
        writes[at]?.push(chunk);
        taken();
      },
    });
    return new Connection({
      socket: { readyState: 1 } as WebSocket,
      wire: wire as never,
      ip: '192.0.2.1',
      outbox,
      limits: WS_LIMITS,
      timing: new VirtualTiming(),
    });
  });
  return { outbox, connections, writes };
}

test("one turn's frames for many clients are joined once, with one write per client", async () => {
  const { connections, outbox, writes } = readers(3);
  const frames = [Buffer.from('one'), Buffer.from('two')];
  for (const frame of frames) for (const each of connections) each.send(frame);
  await turn();
  expect(writes.map((each) => each.map(String))).toEqual([['onetwo'], ['onetwo'], ['onetwo']]);
  expect(writes[1]?.[0]).toBe(writes[0]?.[0]);
  expect(writes[2]?.[0]).toBe(writes[0]?.[0]);
  expect(outbox.framesSent).toBe(6);
});

test("a client whose frames differ from the previous client's gets its own frames", async () => {
  const { connections, writes } = readers(3);
  const [a, b] = [Buffer.from('a'), Buffer.from('b')];
  for (const frame of [a, b]) connections[0]?.send(frame);
  for (const frame of [b, a]) connections[1]?.send(frame);
  for (const frame of [a, b, a]) connections[2]?.send(frame);
  await turn();
  expect(writes.map((each) => each.map(String))).toEqual([['ab'], ['ba'], ['aba']]);
});

test('frames that were read immediately do not count as held', async () => {
  const { connections, outbox, writes } = readers(2);
  for (const each of connections) each.send(Buffer.from('frame'));
  await turn();
  expect(outbox.heldBytes).toBe(0);
  // No empty write was needed to detect that the frames were accepted.
  expect(writes.flat()).toHaveLength(2);
});

test('other work runs between the writes of a frame to thousands of clients', async () => {
  const { connections, writes } = readers(1_000);
  for (const each of connections) each.send(Buffer.from('first'));
  await turn();
  const first = writes.flat().length;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(500);
  // Frames queued while the connections are waiting are written together with the first one.
  for (const each of connections) each.send(Buffer.from('second'));
  while (writes.flat().length < 1_000 + first) await turn();
  await turn();
  const texts = writes.map((each) => each.map(String).join());
  expect(texts.filter((text) => text === 'first,second')).toHaveLength(first);
  expect(texts.filter((text) => text === 'firstsecond')).toHaveLength(1_000 - first);
});
