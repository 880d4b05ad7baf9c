import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { present } from '@oddlot/units';
import { afterAll, beforeAll } from 'vitest';
import { hasNatsServer } from './has-nats-server.ts';
import { type NatsServers, startNatsServers } from './nats-servers.ts';

/** Starts a NATS server and connects to it, for all tests in a file. */
export function withNatsServer(): {
  readonly urls: readonly string[];
  readonly connection: NatsConnection;
  /** Deletes a whole stream to simulate losing it. */
  removeStream(name: string): Promise<void>;
  /** Returns the names of a cluster's log and auxiliary streams. */
  streamNames(cluster: string): Promise<readonly string[]>;
} {
  let servers: NatsServers | undefined;
  let connection: NatsConnection | undefined;
  beforeAll(async () => {
    if (!hasNatsServer) return;
    servers = await startNatsServers();
    await servers.ready();
    connection = await connect({ servers: [...servers.urls] });
  }, 60_000);
  afterAll(async () => {
    await connection?.close();
    await servers?.stop();
  });
  return {
    get urls() {
      return present(servers, 'a server that was started').urls;
    },
    get connection() {
      return present(connection, 'a server that was started');
    },
    async removeStream(name) {
      const manager = await jetstreamManager(present(connection, 'a server that was started'));
      await manager.streams.delete(name);
    },
    async streamNames(cluster) {
      const manager = await jetstreamManager(present(connection, 'a server that was started'));
      const names: string[] = [];
      for await (const name of manager.streams.names()) names.push(name);
      return names.filter((name) => name.includes(`oddlot-${cluster}-`));
    },
  };
}
