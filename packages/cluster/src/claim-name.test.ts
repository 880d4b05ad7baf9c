import { randomUUID } from 'node:crypto';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, describe, expect, test } from 'vitest';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import { claimName } from './claim-name.ts';

const nats = withNatsServer();
const opened: NatsConnection[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** Claims the name over a new connection, as another process would do. */
async function claim(cluster: string): Promise<{ readonly taken: Error[]; end(): Promise<void> }> {
  const connection = await connect({ servers: [...nats.urls] });
  opened.push(connection);
  const taken: Error[] = [];
  await claimName(connection, { cluster, replica: 'a', onTaken: (error) => taken.push(error) });
  await connection.flush();
  return { taken, end: () => connection.close() };
}

describe.skipIf(!hasNatsServer)('the name of a replica', () => {
  test('a replica name belongs to one process, and becomes free once that process has ended', async () => {
    const cluster = randomUUID();
    const first = await claim(cluster);
    await expect(claim(cluster)).rejects.toThrow(
      `Another running process is replica a of ${cluster}. Give each replica its own name`,
    );
    expect(first.taken).toEqual([]);
    await first.end();
    const next = await claim(cluster);
    expect(next.taken).toEqual([]);
  });

  test('a process that does not respond loses its replica name and is notified when it wakes up', async () => {
    const cluster = randomUUID();
    const subject = `oddlot.${cluster}.replica.a`;
    const received: unknown[] = [];
    nats.connection.subscribe(subject, {
      callback: (_, message) => void received.push(message.json()),
    });
    await nats.connection.flush();
    const next = await claim(cluster);
    const notification = { instance: expect.any(String), isTaken: true };
    await expect.poll(() => received.at(-1), { timeout: 10_000 }).toEqual(notification);
    expect(next.taken).toEqual([]);
    // The notification that a process receives when it wakes up.
    nats.connection.publish(subject, JSON.stringify({ instance: 'another', isTaken: true }));
    await expect.poll(() => next.taken.length, { timeout: 10_000 }).toBe(1);
  });

  test('if two processes start together, one of them gets the replica name', async () => {
    const cluster = randomUUID();
    const both = await Promise.allSettled([claim(cluster), claim(cluster)]);
    const ended = (): number =>
      both.filter((each) => each.status === 'rejected' || each.value.taken.length > 0).length;
    await expect.poll(ended, { timeout: 10_000 }).toBe(1);
  });
});
