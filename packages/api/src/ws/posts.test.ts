import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { SocketRequest } from '@oddlot/host/http';
import { TestEdge, VirtualTiming } from '@oddlot/testing/venue/ws/test-edge';
import { mayBePost, readPost } from './posts.ts';

describe('parsing a post does not change its payload', () => {
  const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);

  test('the payload of a post is returned as its original text, with keys in any order', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.nat(),
        fc.boolean(),
        space,
        fc.json(),
        (payload, id, isFirst, gap, other) => {
          const text = JSON.stringify(payload);
          const body = `"payload"${gap}:${gap}${text}${gap}`;
          const type = `${gap}"type":"action"`;
          const request = isFirst ? `{${body},${type}}` : `{${type},${body}}`;
          const members = [`"method":"post"`, `"id":${id}`, `"request":${gap}${request}`];
          const ordered = isFirst ? members : members.toReversed();
          // The envelope follows the strict JSON rules, so the extra member is a string.
          const more = `"x":${JSON.stringify(other)}`;
          const frame = `${gap}{${[...ordered, more].join(`${gap},`)}}${gap}`;
          const read = readPost(frame);
          expect(read).toMatchObject({ id, kind: 'action' });
          expect(read && 'payload' in read && read.payload.trimEnd()).toBe(text);
          expect(mayBePost(frame)).toBe(true);
        },
      ),
    );
  });

  const soup = (units: string) => fc.string({ unit: fc.constantFrom(...units) });

  test('once its payload is replaced, an envelope is valid JSON whatever the payload text was', () => {
    fc.assert(
      fc.property(soup('{}[]",:\\0a '), (payload) => {
        const head = '{"method":"post","id":1,"request":{"type":"info","payload":';
        const read = readPost(`${head}${payload}}}`);
        if (read === undefined || !('payload' in read)) return;
        expect(payload).toContain(read.payload);
        const envelope = `${head}${payload.replace(read.payload, '0')}}}`;
        expect(JSON.parse(envelope)).toMatchObject({
          id: 1,
          request: { type: 'info', payload: 0 },
        });
      }),
    );
  });

  test('random text is not mistaken for a post', () => {
    fc.assert(
      fc.property(soup('{}[]",:\\0a post'), (text) => {
        expect(readPost(text)).toBeUndefined();
      }),
    );
  });
});

describe('a drain waits for pending posts', () => {
  let edge: TestEdge;
  afterEach(async () => await edge.stop());

  async function withPost(): Promise<{ asked: SocketRequest[]; timing: VirtualTiming }> {
    const asked: SocketRequest[] = [];
    const timing = new VirtualTiming();
    edge = await TestEdge.start({}, timing, { post: (request) => asked.push(request) });
    return { asked, timing };
  }

  const POST = { method: 'post', id: 8, request: { type: 'info', payload: { type: 'settings' } } };
  const ANSWER = { status: 200, body: '{"success":true}', budget: undefined };

  test('a drain closes a connection after the responses to its posts', async () => {
    const { asked } = await withPost();
    const [busy, idle] = [await edge.connect(), await edge.connect()];
    busy.send(POST);
    await expect.poll(() => asked.length).toBe(1);
    expect(asked[0]).toMatchObject({ path: '/info', text: '{"type":"settings"}' });
    const drained = edge.edge.drain();
    expect((await idle.closed()).code).toBe(1001);
    asked[0]?.answer({ ...ANSWER, retryAfterSeconds: undefined });
    expect(await busy.next()).toEqual({
      channel: 'post',
      data: { id: 8, response: { type: 'info', status: 200, payload: { success: true } } },
    });
    await drained;
  });

  test('a drain closes a connection after five seconds even if responses are still pending', async () => {
    const { asked, timing } = await withPost();
    const client = await edge.connect();
    client.send(POST);
    await expect.poll(() => asked.length).toBe(1);
    const closed = client.closed();
    const drained = edge.edge.drain();
    timing.advance(5_000);
    expect((await closed).code).toBe(1001);
    await drained;
  });
});
