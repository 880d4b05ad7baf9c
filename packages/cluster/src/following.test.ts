import type { JetStreamClient } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import { Following } from './following.ts';

/**
 * Simulates consecutive consumers on a server. Each of them delivers messages, or nothing until it
 * is stopped. A negative position stands for a different message.
 */
function clientOf(consumers: readonly (readonly number[] | 'silent')[]): {
  readonly client: JetStreamClient;
  readonly begins: number[];
} {
  const begins: number[] = [];
  const get = (_: string, { opt_start_seq: begin }: { opt_start_seq: number }): unknown => {
    const places = consumers[begins.length] ?? 'silent';
    begins.push(begin);
    const stopped = Promise.withResolvers<void>();
    return {
      consume: () => ({
        stop: () => stopped.resolve(),
        status: async function* status() {
          await stopped.promise;
          yield* [];
        },
        async *[Symbol.asyncIterator]() {
          if (places !== 'silent')
            for (const seq of places) yield { seq: Math.abs(seq), data: new Uint8Array([seq]) };
          await stopped.promise;
        },
      }),
    };
  };
  return { client: { consumers: { get } } as unknown as JetStreamClient, begins };
}

test('a stalled reader is renewed, and compares its last message before reading on', async () => {
  const { begins, client } = clientOf([[4, 5], 'silent', [5, 6, 7]]);
  const { following, replaced, taken } = follow(client, 4);
  await expect.poll(() => taken).toEqual([4, 5]);
  following.renew();
  await expect.poll(() => begins).toEqual([4, 5]);
  following.renew();
  await expect.poll(() => taken).toEqual([4, 5, 6, 7]);
  expect(begins).toEqual([4, 5, 5]);
  expect(replaced).toEqual([]);
  await following.stop();
});

test('reading stops if servers have a different message at the position of the last one read', async () => {
  const { begins, client } = clientOf([
    [4, 5],
    [-5, 6, 7],
  ]);
  const { following, replaced, taken } = follow(client, 4);
  await expect.poll(() => taken).toEqual([4, 5]);
  following.renew();
  await expect.poll(() => replaced).toEqual([5]);
  await following.stop();
  expect(taken).toEqual([4, 5]);
  expect(begins).toEqual([4, 5]);
});

function follow(client: JetStreamClient, fromPlace: number) {
  const taken: number[] = [];
  const replaced: number[] = [];
  const following = new Following({
    client,
    stream: 'blocks',
    fromPlace,
    follower: {
      take: ({ place }) => void taken.push(place),
      onReplaced: (place) => replaced.push(place),
      onFatal: (error) => expect.unreachable(String(error)),
    },
  });
  following.start();
  return { following, taken, replaced };
}
