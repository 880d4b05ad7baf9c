import type { JetStreamClient } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import { Following } from './following.ts';

/** Consumers that a server gives one after the other: each has messages, or nothing until it is stopped. */
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
            for (const seq of places) yield { seq, data: new Uint8Array([seq]) };
          await stopped.promise;
        },
      }),
    };
  };
  return { client: { consumers: { get } } as unknown as JetStreamClient, begins };
}

test('one to whom nothing comes any more is asked anew, behind what was read', async () => {
  const { begins, client } = clientOf([[4, 5], 'silent', [6, 7]]);
  const taken: number[] = [];
  const following = new Following({
    client,
    stream: 'blocks',
    fromPlace: 4,
    take: ({ place }) => void taken.push(place),
    onFatal: (error) => expect.unreachable(String(error)),
  });
  following.start();
  await expect.poll(() => taken).toEqual([4, 5]);
  following.renew();
  await expect.poll(() => begins).toEqual([4, 6]);
  following.renew();
  await expect.poll(() => taken).toEqual([4, 5, 6, 7]);
  expect(begins).toEqual([4, 6, 6]);
  await following.stop();
});
