import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts, inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { BlockStream } from '../../packages/cluster/src/block-stream.ts';
import { requireNatsServer } from '../../packages/cluster/src/servers/find-nats-server.ts';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { startReplica } from '../support/venue/nats/start-replica.ts';
import { withNatsServer } from '../support/venue/nats/with-nats-server.ts';
import { REPOSITORY } from '../support/venue-process.ts';

const nats = withNatsServer();
const DEPLOY = join(REPOSITORY, 'deploy', 'cluster');
const passwords = { ODDLOT_NATS_REPLICA: 'replica-secret', ODDLOT_NATS_ADMIN: 'admin-secret' };

describe.skipIf(!hasNatsServer)('the files in deploy/cluster', () => {
  test("a NATS server's configuration is valid", () =>
    inDirectory(async (folder) => {
      await mkdir(folder, { recursive: true });
      const text = await readFile(join(DEPLOY, 'nats', 'nats.conf'), 'utf8');
      const conf = join(folder, 'nats.conf');
      // The test has no certificates.
      const plain = text.replaceAll(/^ *tls \{[^}]*\}\n/gm, '');
      expect(plain).not.toBe(text);
      expect(plain).toContain('sync_interval: always');
      await writeFile(conf, plain);
      const accounts = await readFile(join(DEPLOY, 'nats', 'accounts.conf'));
      await writeFile(join(folder, 'accounts.conf'), accounts);
      const env = { ...process.env, ...passwords };
      const program = await requireNatsServer();
      const { status, stderr } = spawnSync(program, ['-t', '-c', conf], { env, encoding: 'utf8' });
      expect({ status, stderr }).toMatchObject({ status: 0 });
    }));

  test('a replica has exactly the permissions it needs', () =>
    inDirectory(async (folder) => {
      await mkdir(folder, { recursive: true });
      const port = await freePorts(1);
      const accounts = await readFile(join(DEPLOY, 'nats', 'accounts.conf'));
      await writeFile(join(folder, 'accounts.conf'), accounts);
      const conf = join(folder, 'nats.conf');
      const lines = [
        `listen: "127.0.0.1:${port}"`,
        'max_payload: 8388608',
        `jetstream { store_dir: "${join(folder, 'js')}" }`,
        'include accounts.conf',
      ];
      await writeFile(conf, lines.join('\n'));
      const env = { ...process.env, ...passwords };
      const server = spawn(await requireNatsServer(), ['-c', conf], { env, stdio: 'ignore' });
      try {
        const url = `nats://127.0.0.1:${port}`;
        const secret = join(folder, 'password');
        await writeFile(secret, passwords.ODDLOT_NATS_REPLICA);
        const flags = ['--nats-user', 'replica', '--nats-password', secret];
        const place = { cluster: 'main', url, flags };
        const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
        expect(await a.faucet()).toMatchObject({ status: 200 });
        await a.stop();
        const b = await startReplica({ ...place, name: 'b', data: join(folder, 'b') });
        expect(await b.faucet()).toMatchObject({ status: 200 });
        await expect.poll(() => b.operations('/readyz')).toEqual({ status: 'ready' });
        await b.stop();
        // The most harmful requests that a compromised replica could send are rejected.
        const credentials = { user: 'replica', password: passwords.ODDLOT_NATS_REPLICA };
        const options = { servers: [url], cluster: 'main', clientName: 'test', replicas: 1 };
        const stream = await BlockStream.open({ ...options, credentials });
        await expect(stream.remove()).rejects.toThrow(/permissions violation/i);
        await stream.close();
        const admin = { user: 'admin', password: passwords.ODDLOT_NATS_ADMIN };
        const whole = await BlockStream.open({ ...options, credentials: admin });
        await whole.remove();
        await whole.close();
      } finally {
        const ended = once(server, 'exit');
        server.kill('SIGKILL');
        await ended;
      }
    }));

  test.each([
    ['the alerts', 'alerts.yml', 8],
    ['the dashboard', 'grafana.json', 8],
  ])('%s names metrics that a replica has', (_, file, countMin) =>
    inDirectory(async (folder) => {
      const place = { cluster: crypto.randomUUID(), url: nats.urls[0]! };
      const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
      const text = await (await fetch(`${a.operationsUrl}/metrics`)).text();
      await a.stop();
      const served = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
      const named = new Set(
        readFileSync(join(DEPLOY, file), 'utf8').match(/\boddlot_[a-z0-9_]*[a-z0-9]\b/g),
      );
      expect(named.size).toBeGreaterThanOrEqual(countMin);
      expect([...named].filter((name) => !served.has(name))).toEqual([]);
      // The guide explains all of a cluster's metrics.
      const guide = readFileSync(join(REPOSITORY, 'docs/operate/cluster-runbook.md'), 'utf8');
      const own = [...served].filter((name) => name!.startsWith('oddlot_cluster_'));
      expect(own.length).toBeGreaterThan(8);
      expect(own.filter((name) => !guide.includes(name!))).toEqual([]);
    }),
  );
});
