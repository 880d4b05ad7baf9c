import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { freePorts, inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { requireNatsServer } from './servers/find-nats-server.ts';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { startNatsServers } from '@oddlot/testing/venue/nats/nats-servers';
import { BlockStream } from './block-stream.ts';
import { WeakStreamError } from './stream-error.ts';

const open = (
  servers: readonly string[],
  options: Partial<Parameters<typeof BlockStream.open>[0]>,
) =>
  BlockStream.open({ servers, cluster: randomUUID(), clientName: 'test', replicas: 1, ...options });

describe.skipIf(!hasNatsServer)('the check of the servers of a stream', () => {
  test('servers that sync every message are accepted, and a server with unknown settings is named', async () => {
    const servers = await startNatsServers();
    try {
      const unchecked: (readonly string[])[] = [];
      const onUnchecked = (names: readonly string[]): void => void unchecked.push(names);
      const checked = await open(servers.urls, { monitors: servers.monitors, onUnchecked });
      await checked.close();
      expect(unchecked).toEqual([]);
      const plain = await open(servers.urls, { onUnchecked });
      await plain.close();
      expect(unchecked).toEqual([['server n1: its monitoring port is unknown']]);
      const [nowhere] = [`http://127.0.0.1:${await freePorts(1)}`];
      const half = await open(servers.urls, { monitors: [nowhere], onUnchecked });
      await half.close();
      expect(unchecked[1]).toEqual([
        'server n1: its monitoring port is unknown',
        `${nowhere} is not the monitoring port of a NATS server`,
      ]);
    } finally {
      await servers.stop();
    }
  });

  test('servers that store the stream are named even if neither the log addresses nor a monitoring port reach them', async () => {
    const servers = await startNatsServers({ count: 3 });
    try {
      await servers.ready();
      const unchecked: string[] = [];
      const onUnchecked = (names: readonly string[]): void => void unchecked.push(...names);
      const [first, second] = servers.monitors;
      const stream = await open(servers.urls.slice(0, 1), {
        replicas: 3,
        monitors: [first!, second!],
        onUnchecked,
      });
      await stream.close();
      expect(unchecked).toEqual(['server n3 is not reachable through --log or --nats-monitors']);
    } finally {
      await servers.stop();
    }
  });

  test('servers on a release that loses acknowledged messages are rejected unless the operator accepts them', async () => {
    const servers = await startNatsServers();
    const old = await behindOlderGreeting(Number(new URL(servers.urls[0]!).port), '2.9.10');
    try {
      await expect(open([old.url], {})).rejects.toThrow(WeakStreamError);
      await expect(open([servers.urls[0]!, old.url], {})).rejects.toThrow(
        'could lose acknowledged blocks: server n1 runs NATS 2.9.10, but 2.10.0 or later is required. Correct these settings, or pass --accept-weak-stream',
      );
      const faults: string[] = [];
      const accepted = await open([old.url], { onWeak: (each) => faults.push(...each) });
      await accepted.close();
      expect(faults).toEqual(['server n1 runs NATS 2.9.10, but 2.10.0 or later is required']);
    } finally {
      old.close();
      await servers.stop();
    }
  });

  test('servers that do not sync every message are rejected if a monitoring port shows it', () =>
    inDirectory(async (folder) => {
      await mkdir(folder, { recursive: true });
      const port = await freePorts(2);
      const config = join(folder, 'nats.conf');
      const monitor = `http://127.0.0.1:${port + 1}`;
      await writeFile(
        config,
        `server_name: lazy\nlisten: "127.0.0.1:${port}"\nhttp: "127.0.0.1:${port + 1}"\n` +
          `max_payload: 8388608\njetstream { store_dir: "${join(folder, 'js')}" }\n`,
      );
      const server = spawn(await requireNatsServer(), ['-c', config], { stdio: 'ignore' });
      try {
        const url = `nats://127.0.0.1:${port}`;
        await (await open([url], {})).close();
        await expect(open([url], { monitors: [monitor] })).rejects.toThrow(
          `server lazy (${monitor}) does not sync every message (sync_interval: always)`,
        );
        const faults: string[] = [];
        const onWeak = (each: readonly string[]): void => void faults.push(...each);
        await (await open([url], { monitors: [monitor], onWeak })).close();
        expect(faults).toHaveLength(1);
      } finally {
        const ended = once(server, 'exit');
        server.kill('SIGKILL');
        await ended;
      }
    }));
});

/** Starts a proxy that makes a newer server greet its clients like an older release. */
async function behindOlderGreeting(port: number, version: string) {
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    // Newer servers repeat their greeting after the client has connected.
    far.on('data', (part: Buffer) =>
      near.write(
        part.toString('latin1').replaceAll(/(INFO \{.*?"version":")[^"]+/g, `$1${version}`),
        'latin1',
      ),
    );
    far.on('close', () => near.destroy());
    near.pipe(far);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port: own } = server.address() as AddressInfo;
  return { url: `nats://127.0.0.1:${own}`, close: () => server.close() };
}
