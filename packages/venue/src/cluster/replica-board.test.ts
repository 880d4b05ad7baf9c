import { randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { expect, test } from 'vitest';
import { hasNatsServer } from '../testing/nats/has-nats-server.ts';
import { withNatsServer } from '../testing/nats/with-nats-server.ts';
import { ReplicaBoard } from './replica-board.ts';

const nats = withNatsServer();

test.skipIf(!hasNatsServer)(
  'every replica knows how far the others are, and who is gone',
  async () => {
    const kv = await new Kvm(jetstream(nats.connection)).create(randomUUID());
    let height = 7;
    const board = (replica: string): ReplicaBoard =>
      new ReplicaBoard(kv, () => ({
        replica,
        version: '1',
        height: replica === 'a' ? height : 3,
        hash: `0x${replica}`,
        clockMs: 0,
      }));
    const [a, b] = [board('a'), board('b')];
    a.start();
    b.start();
    const heights = (seen: ReplicaBoard): unknown =>
      Object.fromEntries(seen.present.map((each) => [each.replica, each.height]));
    await expect.poll(() => heights(b), { timeout: 10_000 }).toEqual({ a: 7, b: 3 });
    height = 9;
    await expect.poll(() => heights(b), { timeout: 10_000 }).toEqual({ a: 9, b: 3 });
    expect(b.highest).toMatchObject({ replica: 'a', height: 9, hash: '0xa' });
    a.stop();
    await expect.poll(() => heights(b), { timeout: 10_000 }).toEqual({ b: 3 });
    // What it had is still known.
    expect(b.highest?.height).toBe(9);
    b.stop();
  },
);
