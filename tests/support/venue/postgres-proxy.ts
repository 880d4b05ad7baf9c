import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A proxy between a venue and its database server. It can cut or silence connections at any
 * message.
 */
export type PostgresProxy = {
  readonly url: string;
  readonly messages: number;
  /** Blocks all traffic but leaves the connections open. */
  silence(): void;
  /** Closes all connections after this many more messages, and rejects new ones for `awayMs`. */
  cutAfter(messages: number, awayMs: number): void;
  /** True after the cut has occurred. */
  readonly wasCut: boolean;
  /** Restores traffic. Blocked messages are lost, and their connections are closed. */
  restore(): void;
  close(): Promise<void>;
};

const SOCKET = '.s.PGSQL.5432';

export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-pg-proxy-'));
  const [database = '', parameters] = url.split('?', 2);
  const target = join(new URLSearchParams(parameters).get('host') ?? '', SOCKET);
  const pairs = new Set<readonly [Socket, Socket]>();
  let messages = 0;
  let cut: { readonly at: number; readonly awayMs: number } | undefined;
  let wasCut = false;
  let awayUntilMs = 0;
  let isSilent = false;
  const end = (): void => {
    for (const pair of pairs) for (const each of pair) each.destroy();
    pairs.clear();
  };
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (performance.now() < awayUntilMs) {
      client.destroy();
      return;
    }
    const upstream = connect(target);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    upstream.on('error', () => client.destroy());
    client.on('data', (part) => {
      messages += 1;
      if (cut !== undefined && messages >= cut.at) {
        awayUntilMs = performance.now() + cut.awayMs;
        cut = undefined;
        wasCut = true;
        end();
      } else if (!isSilent) upstream.write(part);
    });
    upstream.on('data', (part) => {
      if (!isSilent) client.write(part);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(join(folder, SOCKET), resolve);
  });
  return {
    url: `${database}?host=${encodeURIComponent(folder)}`,
    get messages() {
      return messages;
    },
    get wasCut() {
      return wasCut;
    },
    silence() {
      isSilent = true;
    },
    cutAfter(behind, awayMs) {
      wasCut = false;
      cut = { at: messages + behind, awayMs };
    },
    restore() {
      if (isSilent) end();
      isSilent = false;
      cut = undefined;
      awayUntilMs = 0;
    },
    async close() {
      end();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      await rm(folder, { recursive: true, force: true });
    },
  };
}
