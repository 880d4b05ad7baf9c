import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { RULES_VERSION } from '@oddlot/engine';
import { inDirectory } from '@oddlot/testing/host';
import { runClusterAdmin } from '@oddlot/venue';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeBlockMessage } from '../../packages/cluster/src/block-message.ts';
import { BlockStream } from '../../packages/cluster/src/block-stream.ts';
import { BlockBuffer } from '../../packages/replica/src/log/block-codec.ts';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { startReplica } from '../support/venue/nats/start-replica.ts';
import { withNatsServer } from '../support/venue/nats/with-nats-server.ts';
import { PREVIOUS } from '../crash/era-folders.ts';
import { removeTemporaryData } from '../support/venue-process.ts';

const nats = withNatsServer();
afterAll(removeTemporaryData);

async function admin(cluster: string, ...args: readonly string[]) {
  const texts: string[] = [];
  const place = ['--log', nats.urls[0]!, '--cluster', cluster, '--stream-replicas', '1'];
  const write = (text: string): number => texts.push(text);
  const code = await runClusterAdmin([...args, ...place, '--chain', 'none'], {
    environment: {},
    stdout: { write },
    stderr: { write },
  });
  return { code, text: texts.join('') };
}

describe.skipIf(!hasNatsServer)('R-era: a new rules version in a cluster', () => {
  test('a release that supports the new rules waits until an operator starts them', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const place = { cluster, url: nats.urls[0]! };
      const data = await PREVIOUS.unpacked();
      expect(await admin(cluster, 'import', '--data', data)).toMatchObject({ code: 0 });
      expect(await admin(cluster, 'open-era')).toMatchObject({
        code: 1,
        text: expect.stringContaining('No replica is waiting for a new rules version'),
      });
      let served = 0;
      const starting = ['a', 'b'].map(async (name) => {
        const replica = await startReplica({ ...place, name, data: join(folder, name) });
        served += 1;
        return replica;
      });
      await expect
        .poll(async () => (await admin(cluster, 'status')).text)
        .toMatch(
          /replica a: waiting for its rules version.*\nreplica b: waiting for its rules version/,
        );
      expect(served).toBe(0);
      expect(await admin(cluster, 'open-era')).toMatchObject({
        code: 0,
        text: expect.stringContaining(`rules version ${RULES_VERSION} announced`),
      });
      const [a, b] = await Promise.all(starting);
      expect(await a!.faucet()).toMatchObject({ status: 200 });
      expect(await b!.faucet()).toMatchObject({ status: 200 });
      await expect
        .poll(() => a!.metric('oddlot_accounts'))
        .toBe(await b!.metric('oddlot_accounts'));
      // A replica that joins later applies both rules versions.
      const c = await startReplica({ ...place, name: 'c', data: join(folder, 'c') });
      await expect
        .poll(() => c.metric('oddlot_cluster_attested_block'))
        .toBeGreaterThan(PREVIOUS.meta.height);
      expect(await c.metric('oddlot_cluster_hashes_differing')).toBe(0);
      for (const each of [a!, b!, c]) await each.stop();
    }));

  test('a release that does not support the new rules accepts no orders once they are announced', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const place = { cluster, url: nats.urls[0]! };
      const data = join(folder, 'a');
      const rules = RULES_VERSION + 1;
      const refused = {
        status: 503,
        body: {
          code: 10503,
          message: `Rules ${rules} are announced, and this process has rules ${RULES_VERSION}`,
        },
      };
      const a = await startReplica({ ...place, name: 'a', data });
      await publish(cluster, { type: 'announceEra', rules });
      await expect.poll(() => a.faucet()).toMatchObject(refused);
      await a.stop();
      // After a restart, the replica still has the announcement, until an operator withdraws it.
      const again = await startReplica({ ...place, name: 'a', data });
      await expect.poll(() => again.faucet()).toMatchObject(refused);
      expect(await admin(cluster, 'keep-era')).toMatchObject({ code: 0 });
      await expect.poll(() => again.faucet()).toMatchObject({ status: 200 });
      // When the new rules version starts, the replica stops applying blocks and serves its last
      // state.
      const hash = `0x${'1'.repeat(64)}`;
      await publish(cluster, { type: 'openEra', rules, stateHash: hash, previousHash: hash });
      await expect.poll(() => again.faucet()).toMatchObject(refused);
      expect(await again.info({ type: 'perpMeta' })).toMatchObject({ status: 200 });
      await again.stop();
    }));
});

async function publish(cluster: string, command: object): Promise<void> {
  const options = { servers: nats.urls, cluster, clientName: 'test', replicas: 1 };
  const stream = await BlockStream.open(options);
  const buffer = new BlockBuffer();
  const proposal = `${randomUUID()}:1`;
  buffer.writeBlock([{ command: command as never }], proposal);
  const bytes = buffer.bytes.subarray(0, buffer.length);
  await stream.publish(proposal, { data: encodeBlockMessage(Date.now(), bytes) });
  await stream.close();
}
