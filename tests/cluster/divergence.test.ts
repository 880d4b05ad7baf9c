import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { restore } from '@oddlot/engine';
import { inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { SnapshotStore } from '../../packages/replica/src/log/checked-stores.ts';
import { createTextHasher, stateHashOf } from '../../packages/replica/src/block-hash.ts';
import {
  decodeSnapshot,
  encodeSnapshot,
  type PackedPayload,
} from '../../packages/replica/src/snapshot-codec.ts';
import { OutvotedError } from '../../packages/venue/src/supervise/divergence-watch.ts';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { startReplica } from '../support/venue/nats/start-replica.ts';
import { withNatsServer } from '../support/venue/nats/with-nats-server.ts';

const nats = withNatsServer();

describe.skipIf(!hasNatsServer)('a replica with a different state', () => {
  test('a replica whose state differs saves evidence and stops, while the others continue', () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]! };
      const c = { ...place, name: 'c', data: join(folder, 'c') };
      await (await startReplica(c)).stop();
      const height = await plant(c.data);
      const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
      const b = await startReplica({ ...place, name: 'b', data: join(folder, 'b') });
      const ended = Promise.withResolvers<unknown>();
      const wrong = await startReplica({ ...c, onFatal: ended.resolve });
      expect(await ended.promise).toBeInstanceOf(OutvotedError);
      expect(await wrong.faucet()).toMatchObject({
        status: 503,
        body: { message: expect.stringMatching(/^Replicas differ at block \d+$/) },
      });
      for (const right of [a, b]) {
        expect(await right.faucet()).toMatchObject({ status: 200 });
        await expect.poll(() => right.metric('oddlot_cluster_hashes_differing')).toBe(1);
        await expect.poll(() => right.operations('/readyz')).toEqual({ status: 'ready' });
      }
      const [entry] = await readdir(join(c.data, 'divergence'));
      const at = join(c.data, 'divergence', entry!);
      const read = async (name: string): Promise<unknown> =>
        JSON.parse(await readFile(join(at, name), 'utf8'));
      const report = (await read('report.json')) as {
        height: number;
        own: string;
        votes: Record<string, string>;
      };
      expect(report).toMatchObject({ replica: 'c', snapshotBefore: height });
      expect(report.votes['a']).toBe(report.votes['b']);
      expect(report.votes['a']).not.toBe(report.own);
      expect(await read('block.json')).toMatchObject({ seq: report.height });
      const snapshot = await new SnapshotStore({ directory: at }).newestValid();
      expect(snapshot?.height).toBe(height);
      const state = await new SnapshotStore({ directory: join(at, 'state') }).newestValid();
      expect(state?.height).toBeGreaterThanOrEqual(report.height);
      for (const each of [wrong, a, b]) await each.stop();
    }));
});

/** Changes a value in the replica's state without leaving a trace in its files. */
async function plant(data: string): Promise<number> {
  const store = new SnapshotStore({ directory: join(data, 'snapshots') });
  const { height, payload } = (await store.newestValid())!;
  const decoded = decodeSnapshot(payload) as PackedPayload;
  const [first = 0, ...lanes] = decoded.state.digest;
  const state = { ...decoded.state, digest: [first + 1, ...lanes] };
  const stateHash = stateHashOf(await createTextHasher(), height, restore(state).digest.hex());
  const head = { ...decoded.head, stateHash };
  await store.write({ height, pieces: encodeSnapshot({ ...decoded, head, state }) });
  return height;
}
