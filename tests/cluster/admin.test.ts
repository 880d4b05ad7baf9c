import { randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@oddlot/host/log';
import { freePorts, inDirectory } from '@oddlot/testing/host';
import { readConfig, runClusterAdmin, startVenue } from '@oddlot/venue';
import { describe, expect, test } from 'vitest';
import { cutStream } from '../support/venue/nats/cut-stream.ts';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { openTestStream } from '../support/venue/nats/open-cluster-log.ts';
import { startReplica } from '../support/venue/nats/start-replica.ts';
import { withNatsServer } from '../support/venue/nats/with-nats-server.ts';

const nats = withNatsServer();

type Answer = { readonly code: number; readonly out: string; readonly err: string };

function admin(cluster: string, ...args: readonly string[]): Promise<Answer> {
  return adminAt(nats.urls[0]!, cluster, ...args);
}

async function adminAt(url: string, cluster: string, ...args: readonly string[]): Promise<Answer> {
  const [out, err]: [string[], string[]] = [[], []];
  const place = ['--log', url, '--cluster', cluster, '--stream-replicas', '1'];
  const code = await runClusterAdmin([...args, ...place], {
    environment: {},
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, out: out.join(''), err: err.join('') };
}

type ClusterReport = {
  readonly replicas: readonly { readonly replica: string; readonly height: number }[];
};

/** Briefly runs a single-machine venue, and returns its newest block and its number of accounts. */
async function alone(data: string): Promise<{ readonly accounts: number }> {
  const flags = ['--port', '0', '--ops-port', '0', '--no-web', '--chain', 'none', '--no-limits'];
  const calm = ['--oracle', 'still', '--no-bots', '--no-exhibition'];
  const venue = await startVenue(readConfig(['--data', data, ...flags, ...calm], {}), {
    log: createLogger({ level: 'silent' }),
    onFatal: (error) => {
      throw error;
    },
  });
  const user = `0x${randomUUID().replaceAll('-', '').padEnd(40, '0')}`;
  await fetch(`${venue.url}/request-fund`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user, accountType: 'perp' }),
  });
  const metrics = await (await fetch(`${venue.operationsUrl}/metrics`)).text();
  await venue.stop();
  return { accounts: Number(/^oddlot_accounts (\d+)$/m.exec(metrics)?.[1]) };
}

async function blocksOf({ cluster, url }: { readonly cluster: string; readonly url: string }) {
  const stream = await openTestStream([url], cluster);
  const { lastPlace } = await stream.end();
  await stream.close();
  return lastPlace - 1;
}

describe.skipIf(!hasNatsServer)("maintenance of a cluster's log", () => {
  test('a folder can be imported as a stream, continued by replicas, and exported as a folder again', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const data = join(folder, 'alone');
      const before = await alone(data);
      const imported = await admin(cluster, 'import', '--data', data);
      expect(imported).toMatchObject({ code: 0, out: expect.stringContaining('as the stream of') });
      expect(imported.err).toContain('compared 100%');
      expect(await admin(cluster, 'import', '--data', data)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/has \d+ messages\. Import a folder only into an empty stream/),
      });
      const place = { cluster, url: nats.urls[0]! };
      // Simulates an interrupted import.
      await cutStream(place, 3);
      expect((await admin(cluster, 'status')).out).toMatch(
        /blocks 1 to 2 of .*, incomplete: it is being written from a folder, up to block \d+/,
      );
      expect(await admin(cluster, 'import', '--data', data)).toMatchObject({ code: 0 });
      // One replica starts on the imported folder itself, and the other starts with no data.
      const a = await startReplica({ ...place, name: 'a', data });
      const b = await startReplica({ ...place, name: 'b', data: join(folder, 'b') });
      expect(await b.metric('oddlot_accounts')).toBe(before.accounts);
      expect(await b.faucet()).toMatchObject({ status: 200 });
      await expect.poll(() => a.metric('oddlot_cluster_attested_block')).toBeGreaterThan(0);
      const status = await admin(cluster, 'status');
      expect(status).toMatchObject({ code: 0, err: '' });
      expect(status.out).toMatch(
        /^replica a: running, block \d+, 0x[0-9a-f]{64}, version .*http:\/\/a\.example$/m,
      );
      expect(status.out).toMatch(/^hashes: agree at block \d+$/m);
      expect(status.out).toMatch(/^lease ticker: a$/m);
      const out = join(folder, 'out');
      expect(await admin(cluster, 'export', '--data', out)).toMatchObject({
        code: 1,
        err: expect.stringContaining(
          `Replicas a, b of ${cluster} are running and writing to the stream. Stop all of`,
        ),
      });
      for (const each of [a, b]) await each.stop();
      expect(await admin(cluster, 'export', '--data', out)).toMatchObject({
        code: 0,
        out: expect.stringContaining(`the stream of`),
      });
      const after = await alone(out);
      // The test itself also used the faucet.
      expect(after.accounts).toBe(before.accounts + 2);
      // Both the folder and the cluster have continued, so they have diverged.
      const again = await startReplica({ ...place, name: 'a', data });
      expect(await again.faucet()).toMatchObject({ status: 200 });
      const refused = await admin(cluster, 'restore', '--data', out);
      expect(refused).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /is not a copy of this stream: the blocks differ starting with block (\d+)\. .* with --give-up-from \1\n$/,
        ),
      });
      const [, from] = /starting with block (\d+)\./.exec(refused.err) ?? [];
      const other = startReplica({ ...place, name: 'other', data: out, onFatal: () => undefined });
      await expect(other).rejects.toThrow(
        `This folder is not a copy of the stream: the blocks differ starting with block ${from}`,
      );
      const { replicas } = (await again.operations('/cluster')) as ClusterReport;
      expect(replicas.find(({ replica }) => replica === 'other')?.height ?? 0).toBe(0);
      expect(await again.faucet()).toMatchObject({ status: 200 });
      expect(await again.operations('/readyz')).toEqual({ status: 'ready' });
      await again.stop();
    }));

  test('an empty stream is restored only from the longest copy', () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]! };
      const { cluster } = place;
      const data = join(folder, 'a');
      await (await startReplica({ ...place, name: 'a', data })).stop();
      const short = join(folder, 'short');
      await cp(data, short, { recursive: true });
      const a = await startReplica({ ...place, name: 'a', data });
      for (let at = 0; at < 5; at += 1) expect(await a.faucet()).toMatchObject({ status: 200 });
      const accounts = await a.metric('oddlot_accounts');
      await a.stop();
      expect(await admin(cluster, 'restore', '--data', data)).toMatchObject({
        code: 1,
        err: expect.stringContaining('Nothing to restore'),
      });
      await nats.removeStream(`oddlot-${cluster}-blocks`);
      const refused = await admin(cluster, 'restore', '--data', short);
      expect(refused).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /Replica a reported block \d+, but this copy ends at \d+\. Restore from the copy of a/,
        ),
      });
      expect((await admin(cluster, 'status')).out).toContain(': empty');
      expect(await admin(cluster, 'restore', '--data', data)).toEqual({
        code: 0,
        err: expect.stringContaining('compared 100%'),
        out: expect.stringMatching(/^restored the stream of .*: \d+ blocks/),
      });
      const b = await startReplica({ ...place, name: 'b', data: join(folder, 'b') });
      expect(await b.metric('oddlot_accounts')).toBe(accounts);
      expect(await b.faucet()).toMatchObject({ status: 200 });
      await b.stop();
      // The operator must name the blocks to be discarded.
      const [, end] = /--give-up-from (\d+)/.exec(refused.err) ?? [];
      await nats.removeStream(`oddlot-${cluster}-blocks`);
      const given = await admin(cluster, 'restore', '--data', short, '--give-up-from', end!);
      expect(given).toMatchObject({ code: 0 });
    }));

  test('if the stream has lost blocks and has others in their place, replicas stop until an operator decides', () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]! };
      const { cluster } = place;
      const [dataA, dataB] = [join(folder, 'a'), join(folder, 'b')];
      const start = (name: string, data: string) =>
        startReplica({ ...place, name, data, onFatal: () => undefined });
      const first = await start('a', dataA);
      expect(await first.faucet()).toMatchObject({ status: 200 });
      await first.stop();
      await cp(dataA, dataB, { recursive: true });
      const had = await blocksOf(place);
      const again = await start('a', dataA);
      for (let at = 0; at < 3; at += 1) expect(await again.faucet()).toMatchObject({ status: 200 });
      const accounts = await again.metric('oddlot_accounts');
      await again.stop();
      // The replicas' reports are lost as well, and b has none of the lost blocks.
      await cutStream(place, had + 1);
      await nats.removeStream(`KV_oddlot-${cluster}-replicas`);
      const b = await start('b', dataB);
      for (let at = 0; at < 9; at += 1) expect(await b.faucet()).toMatchObject({ status: 200 });
      const a = await start('a', dataA);
      for (const each of [a, b]) {
        const message = expect.stringMatching(/lost blocks from \d+ on/);
        await expect
          .poll(() => each.faucet(), { timeout: 20_000 })
          .toMatchObject({ status: 503, body: { message } });
      }
      expect(await a.metric('oddlot_accounts')).toBe(accounts);
      expect(await b.metric('oddlot_cluster_log_lost')).toBe(1);
      const from = had + 1;
      expect((await admin(cluster, 'status')).out).toMatch(
        new RegExp(`; blocks lost: replica a has different blocks ${from} to \\d+$`, 'm'),
      );
      await b.stop();
      await a.stop();
      // The stream may have a block that b sent but did not read, and a stopped replica may stay in
      // the list for a while.
      await expect
        .poll(() => admin(cluster, 'export', '--data', dataB), { timeout: 60_000 })
        .toMatchObject({ code: 0 });
      const refused = await admin(cluster, 'restore', '--data', dataB);
      expect(refused).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          new RegExp(`^Replica a has blocks ${from} to .* with --give-up-from ${from}\n$`),
        ),
      });
      // Either copy can be kept, but the operator must name the other copy's blocks.
      const copyA = join(folder, 'kept-a');
      await cp(dataA, copyA, { recursive: true });
      expect(await admin(cluster, 'restore', '--data', copyA)).toMatchObject({
        code: 1,
        err: expect.stringContaining(`the blocks differ starting with block ${from}`),
      });
      const giveUp = ['--give-up-from', String(from)];
      // A stopped replica may stay in the list for a while.
      await expect
        .poll(() => admin(cluster, 'restore', '--data', dataB, ...giveUp), { timeout: 60_000 })
        .toMatchObject({ code: 0 });
      const restarted = await start('b', dataB);
      expect(await restarted.faucet()).toMatchObject({ status: 200 });
      await restarted.stop();
      // The other copy can be restored in the same way.
      await expect
        .poll(() => admin(cluster, 'restore', '--data', copyA, ...giveUp), { timeout: 60_000 })
        .toMatchObject({ code: 0 });
      const other = await start('a', copyA);
      expect(await other.metric('oddlot_accounts')).toBe(accounts);
      // A replica whose blocks were discarded reports this, and the others continue.
      await expect(start('b', dataB)).rejects.toThrow(
        `the blocks differ starting with block ${from}`,
      );
      expect(await other.faucet()).toMatchObject({ status: 200 });
      await other.stop();
    }));

  test('an impossible maintenance request produces an error message and changes nothing', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const nothing = join(folder, 'nothing');
      // An unknown cluster name is reported as a possible typo.
      for (const command of ['status', 'restore', 'export', 'keep-era']) {
        expect(await admin(cluster, command, '--data', nothing)).toEqual({
          code: 1,
          out: '',
          err: expect.stringContaining(`Cluster ${cluster} does not exist on these servers`),
        });
      }
      expect(await nats.streamNames(cluster)).toEqual([]);
      expect(await admin(cluster, 'import', '--data', nothing)).toMatchObject({
        code: 1,
        err: `No log in ${nothing}\n`,
      });
      expect(await admin(cluster, 'export', '--data', nothing)).toMatchObject({
        code: 1,
        err: expect.stringContaining('is empty'),
      });
      expect(await admin(cluster, 'frobnicate')).toMatchObject({
        code: 2,
        err: expect.stringMatching(/^Unknown command frobnicate\n\nAdministers the log/),
      });
      expect(await admin(cluster, 'restore', '--give-up-from', 'x')).toMatchObject({
        code: 2,
        err: 'Invalid --give-up-from. Use a block height, such as --give-up-from 1200\n',
      });
      expect(await admin(cluster, 'status', '--no-such-thing')).toMatchObject({ code: 2 });
      const nobody = `nats://127.0.0.1:${await freePorts(1)}`;
      expect(await adminAt(nobody, cluster, 'status')).toEqual({
        code: 1,
        out: '',
        err: `No response from ${nobody} after 10 s. Check the --log URLs and that the servers are running\n`,
      });
    }));
});
