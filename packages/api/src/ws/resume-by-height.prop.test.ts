import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TestEdge, type AnyFrame, type TestClient } from '@oddlot/testing/venue/ws/test-edge';
import { RecentBlocks } from '@oddlot/history/recent-blocks';
import { ALICE, BOB } from '@oddlot/testing/venue/ws/test-venue';

/**
 * Goal: a client that resumes on a process, after a block it received from another, gets the frames
 * of all later blocks exactly once and in order, or a resync. Method: random boundaries between
 * memory, history and concurrent blocks.
 */

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 10);

const CHANNELS = [
  ['/ws', { type: 'trades', coin: '1' }],
  ['/ws', { type: 'orderUpdates', user: ALICE }],
  ['/ws', { type: 'explorerBlock' }],
  ['/api-ws', { type: 'userNonFundingLedgerUpdates', user: ALICE }],
] as const;

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: 'trade' } as const) },
  { weight: 3, arbitrary: fc.constant({ type: 'credit' } as const) },
  { weight: 2, arbitrary: fc.constant({ type: 'answer' } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('come' as const),
      channel: fc.nat({ max: CHANNELS.length - 1 }),
      back: fc.nat({ max: 12 }),
    }),
  },
);

type Comer = { channel: number; height: number; client: TestClient; frames: AnyFrame[] };

test('a client that resumes on another process gets each frame once, or a resync', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 30 }),
      fc.integer({ min: 5, max: 60 }),
      fc.constantFrom(2, 10_000),
      async (steps, itemsMax, retainedFramesMax) => {
        const here = await TestEdge.start();
        const recent = new RecentBlocks(itemsMax);
        const limits = { retainedFramesMax, numbersBefore: 10_000 };
        const there = await TestEdge.start(limits, undefined, { beside: here, recent });
        const witnesses = await Promise.all(
          CHANNELS.map(async ([path, subscription]) => {
            const client = await here.connect(path);
            await client.follow(subscription);
            return client;
          }),
        );
        here.venue.onBlock(({ height, result }) => {
          const orders = result.events.filter(({ type }) => type === 'orderUpdated');
          const row = { user: ALICE, table: 'orders', accountTypes: ['perp'], row: {} } as const;
          if (orders.length > 0) here.history.take(height, [row]);
        });
        const comers: Comer[] = [];
        const first = here.venue.state.height;
        here.history.isPrompt = false;
        for (const each of steps) {
          if (each.type === 'credit') here.venue.credit(ALICE);
          else if (each.type === 'trade') {
            here.venue.order(ALICE, { sell: true, price: 100, size: 0.3 });
            here.venue.order(BOB, { buy: true, price: 100, size: 0.2 });
          } else if (each.type === 'answer') await answered(here);
          else {
            const [path, subscription] = CHANNELS[each.channel] ?? CHANNELS[0];
            const height = Math.max(first, here.venue.state.height - each.back);
            const client = await there.connect(path, { from: `198.51.100.${comers.length}` });
            client.subscribe(subscription, { height });
            const frames = await client.settle();
            comers.push({ channel: each.channel, height, client, frames });
          }
        }
        here.history.isPrompt = true;
        await answered(here);
        const received = await Promise.all(witnesses.map((witness) => witness.settle()));
        for (const { channel, client, frames, height } of comers) {
          const expected = (received[channel] ?? []).filter((frame) => frame.height > height);
          // Pongs can arrive before slow responses.
          const isDone = (): boolean => frames.length > expected.length || isLost(frames);
          while (!isDone()) frames.push(await client.next());
          frames.push(...(await client.settle()));
          if (isLost(frames)) continue;
          const [response, ...data] = frames;
          expect(data.map(shown)).toEqual(expected.map(shown));
          expect(data.map(({ seq }) => seq)).toEqual(
            data.map((_, index) => response.data.seq + 1 + index),
          );
        }
        await there.stop();
        await here.stop();
      },
    ),
    { numRuns: RUNS },
  ));

const isLost = (frames: readonly AnyFrame[]): boolean =>
  frames.some(({ channel }) => channel === 'resync');

const shown = ({ channel, data, height }: AnyFrame) => ({ channel, data, height });

/**
 * Answers pending history queries in several rounds, because a reply can lead to further queries.
 */
async function answered({ history }: TestEdge): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    history.answerSince();
    while (history.waitingCount > 0) history.answer();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
