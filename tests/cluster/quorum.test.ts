import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { startNatsServers } from '../support/venue/nats/nats-servers.ts';
import { FIXED_PRICE_FLAGS, temporaryData, VenueRun } from '../support/venue-process.ts';
import { startReplica } from '../support/venue/nats/start-replica.ts';

describe.skipIf(!hasNatsServer)('a log without a quorum', () => {
  test('without a quorum, a replica can stop, reports unfinished work, and exits with code 0', async () => {
    const servers = await startNatsServers({ count: 3 });
    try {
      await servers.ready();
      const place = ['--log', servers.url, '--cluster', randomUUID()];
      const run = new VenueRun(await temporaryData(), [...place, ...FIXED_PRICE_FLAGS]);
      const { operations } = await run.serving();
      for (const each of [0, 1]) await servers.kill(each);
      const readyz = async (): Promise<string> => (await fetch(`${operations}/readyz`)).text();
      await expect.poll(readyz).toContain('the log has had no quorum for');
      expect(await run.end('SIGTERM')).toEqual({ code: 0, signal: null });
      const output = run.stdout + run.stderr;
      expect(output).toContain(
        'stopped before shutdown was complete; pending actions were not acknowledged',
      );
      expect(output).toMatch(/"why":"the log has had no quorum for/);
    } finally {
      await servers.stop();
    }
  });

  test('without a quorum, a replica rejects requests with a retry time, shows the age of its state, and recovers automatically', () =>
    inDirectory(async (folder) => {
      const servers = await startNatsServers({ count: 3 });
      try {
        await servers.ready();
        const place = { cluster: randomUUID(), url: servers.url, streamReplicas: 3 };
        const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
        expect(await a.faucet()).toMatchObject({ status: 200 });
        const { headers } = await a.info({ type: 'perpMeta' });
        expect(headers.get('x-block-age-ms')).toBeNull();
        // The cluster tolerates the failure of one of three servers.
        await servers.kill(0);
        await expect.poll(() => a.faucet()).toMatchObject({ status: 200 });
        await servers.kill(1);
        // Requests sent before the loss is detected wait until there is a quorum again.
        await expect
          .poll(() => a.operations('/readyz'))
          .toMatchObject({ reason: expect.stringContaining('the log has had no quorum for') });
        expect(await a.faucet()).toMatchObject({
          status: 503,
          body: { code: 10503, message: 'The log has no quorum' },
        });
        expect((await a.faucet()).headers.get('retry-after')).toBe('1');
        expect(await a.operations('/readyz')).toMatchObject({ status: 'notReady' });
        expect(await a.metric('oddlot_cluster_log_silent_seconds')).toBeGreaterThan(0);
        const age = async (): Promise<number> => {
          const read = await a.info({ type: 'perpMeta' });
          expect(read.status).toBe(200);
          return Number(read.headers.get('x-block-age-ms'));
        };
        await expect.poll(age).toBeGreaterThan(5_000);
        await servers.start(0);
        await servers.start(1);
        await expect.poll(() => a.faucet()).toMatchObject({ status: 200 });
        await expect.poll(() => a.operations('/readyz')).toEqual({ status: 'ready' });
        expect(await age()).toBe(0);
        await a.stop();
      } finally {
        await servers.stop();
      }
    }));
});
