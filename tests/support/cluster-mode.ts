import { basename } from 'node:path';
import { freePorts } from '@oddlot/testing/host';
import pg from 'pg';
import {
  PORTS_PER_SERVER,
  runNatsServers,
} from '../../packages/cluster/src/servers/nats-servers.ts';
import { startPostgres } from '../../packages/cluster/src/servers/postgres-server.ts';

/**
 * With `TEST_CLUSTER=1`, for example `TEST_CLUSTER=1 npx vitest run tests/conformance`, every test
 * venue is a cluster replica. Its log is a stream on three NATS servers and its history is in
 * PostgreSQL; all venues in the run share these servers.
 */
const ASKED = 'TEST_CLUSTER';
const SERVERS = 'ODDLOT_TEST_NATS';
const DATABASES = 'ODDLOT_TEST_POSTGRES';
const COUNT = 3;

/** Starts the servers if TEST_CLUSTER is set. The returned function stops them. */
export async function startClusterServers(): Promise<() => Promise<void>> {
  if (process.env[ASKED] === undefined) return () => Promise.resolve();
  const port = await freePorts(PORTS_PER_SERVER * COUNT);
  const servers = await runNatsServers({ count: COUNT, port });
  const postgres = await startPostgres();
  await servers.ready();
  process.env[SERVERS] = servers.url;
  process.env[DATABASES] = await postgres.database();
  return async () => {
    await servers.stop();
    await postgres.stop();
  };
}

/**
 * Returns the flags that make a venue a cluster replica. Returns none if TEST_CLUSTER is not set,
 * or if the venue has its own chain, relay, cluster or database.
 */
export async function clusterFlags(data: string, flags: readonly string[]): Promise<string[]> {
  const [servers, databases] = [process.env[SERVERS], process.env[DATABASES]];
  const isAlone = ['--chain', '--relay', '--cluster', '--database'].some((flag) =>
    flags.includes(flag),
  );
  if (servers === undefined || databases === undefined || isAlone) return [];
  const name = basename(data)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
  const url = databases.replace(/\/[^/?]*\?/, `/${name}?`);
  await makeDatabase(databases, name);
  return ['--log', servers, '--cluster', name, '--database', url];
}

async function makeDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
}
