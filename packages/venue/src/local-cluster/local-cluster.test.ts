import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { lockDirectory } from '@oddlot/host/directory-lock';
import { freePorts, inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { startLocalCluster } from './local-cluster.ts';

const LONG_MS = 300_000;
const LEAN = ['--no-web', '--no-bots', '--no-exhibition', '--oracle', 'still'];
const SMALL = { replicas: 2, servers: 1, againAfterMs: 0, flags: LEAN, print: () => undefined };
const PORTS = 30;
const MAIN = join(import.meta.dirname, 'main.ts');

/**
 * Runs a test in a folder that PostgreSQL can access as another user, because it refuses to run as
 * root.
 */
function inOpenDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  return inDirectory(async (directory) => {
    await chmod(dirname(directory), 0o755);
    await mkdir(directory);
    await run(directory);
  });
}

/** Returns the replica addresses that a replica publishes, ordered by number. */
async function namedBy(port: number): Promise<unknown> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'settings' }),
    });
    const { data } = (await response.json()) as { data: { replicas?: { url: string }[] } };
    return data.replicas?.map(({ url }) => url).toSorted();
  } catch {
    // The replica is not serving yet.
    return undefined;
  }
}

describe.skipIf(process.getuid?.() !== 0)('a cluster started by root', () => {
  test('root cannot start a cluster in a folder that the database user cannot enter', () =>
    inDirectory(async (directory) => {
      const closed = join(directory, 'closed');
      await mkdir(directory, { recursive: true, mode: 0o755 });
      await chmod(dirname(directory), 0o755);
      await mkdir(closed, { mode: 0o700 });
      const data = join(closed, 'data');
      const port = await freePorts(PORTS);
      await expect(startLocalCluster({ ...SMALL, data, port })).rejects.toThrow(
        `PostgreSQL does not run as root, and the unprivileged user that runs it cannot enter ${closed}, which contains ${data}/postgres`,
      );
      expect(await readdir(closed)).toEqual([]);
    }));

  test.skipIf(!hasNatsServer)(
    'root creates folders that the database user can enter, whatever the umask',
    () =>
      inOpenDirectory(async (directory) => {
        const port = await freePorts(PORTS);
        const data = join(directory, 'made', 'data');
        // Because of this port, startup fails after the folders have been created and before any
        // server starts.
        const other = createServer().listen(port, '127.0.0.1');
        await once(other, 'listening');
        const program = [process.execPath, MAIN, '--port', String(port), '--data', data];
        const run = spawn('sh', ['-c', 'umask 077; exec "$@"', 'sh', ...program]);
        run.stderr.setEncoding('utf8');
        const [output] = await once(run.stderr, 'data');
        await once(run, 'close');
        other.close();
        expect(output).toContain(`Port ${port} for replica 1 is not available`);
        for (const folder of [data, dirname(data)]) {
          expect((await stat(folder)).mode & 0o777, folder).toBe(0o755);
        }
      }),
  );
});

describe.skipIf(!hasNatsServer)('a cluster on one machine', () => {
  test('if a port is in use, the cluster starts nothing and releases its folder', () =>
    inOpenDirectory(async (data) => {
      const port = await freePorts(PORTS);
      // This is the port of the second replica.
      const other = createServer().listen(port + 10, '127.0.0.1');
      await once(other, 'listening');
      try {
        await expect(startLocalCluster({ ...SMALL, data, port })).rejects.toThrow(
          `Port ${port + 10} for replica 2 is not available: already in use`,
        );
        await expect(startLocalCluster({ ...SMALL, data, port: 65_530 })).rejects.toThrow(
          'port: must be from 1 to',
        );
        expect(await readdir(data)).not.toContain('nats');
        lockDirectory(data).release();
      } finally {
        other.close();
      }
    }));

  test(
    'a cluster announces every replica to clients and locks its folder',
    { timeout: LONG_MS },
    () =>
      inOpenDirectory(async (data) => {
        const port = await freePorts(PORTS);
        const cluster = await startLocalCluster({ ...SMALL, data, port });
        try {
          const all = [port, port + 10].map((each) => `http://127.0.0.1:${each}`);
          const wait = { timeout: LONG_MS / 2, interval: 200 };
          await expect.poll(() => namedBy(port), wait).toEqual(all);
          await expect.poll(() => namedBy(port + 10), wait).toEqual(all);
          const output = await readFile(join(data, 'replica-1.log'), 'utf8');
          expect(output).toContain('joining a cluster');
          expect(output).not.toContain('could not verify that these NATS servers sync');
          const config = join(data, 'nats/n1/nats.conf');
          const before = await readFile(config, 'utf8');
          const second = startLocalCluster({ ...SMALL, data, port: await freePorts(PORTS) });
          await expect(second).rejects.toThrow(`${data} is in use by process ${process.pid}`);
          expect(await readFile(config, 'utf8')).toBe(before);
        } finally {
          await cluster.stop();
        }
        lockDirectory(data).release();
      }),
  );
});
