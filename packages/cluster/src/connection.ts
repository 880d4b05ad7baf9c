import { setTimeout as later } from 'node:timers/promises';
import { AuthorizationError, connect, type NatsConnection } from '@nats-io/transport-node';
import { boundedJson } from '@oddlot/host/bounded-json';
import { isBelowNatsMin, NATS_VERSION_MIN } from './nats-version.ts';

export type ConnectOptions = {
  readonly servers: readonly string[];
  readonly clientName: string;
  readonly credentials?: Credentials | undefined;
  /** The time limit for the first connection; undefined for no limit. */
  readonly firstWithinMs?: number | undefined;
};

/** The credentials of a client. If several are given, all of them are sent. */
export type Credentials = {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
};

class NoServerError extends Error {
  override readonly name = 'NoServerError';
}

const RECONNECT_EVERY_MS = 250;
const PING_EVERY_MS = 1_000;
const PINGS_UNANSWERED_MAX = 2;
/** The time limit for a server that accepts a connection but sends nothing, in milliseconds. */
const SILENT_MS_MAX = 3_000;

/** Connects to any of the servers, and reconnects whenever the connection is lost. */
export async function connectTo(options: ConnectOptions): Promise<NatsConnection> {
  const { firstWithinMs, servers } = options;
  if (firstWithinMs === undefined) return connectOnce(options, { waitOnFirstConnect: true });
  const untilMs = performance.now() + firstWithinMs;
  for (;;) {
    try {
      return await connectOnce(options, { waitOnFirstConnect: false, timeout: SILENT_MS_MAX });
    } catch (error) {
      if (error instanceof AuthorizationError) throw error;
      if (performance.now() >= untilMs) {
        throw new NoServerError(
          `No response from ${servers.join(', ')} after ${firstWithinMs / 1_000} s. ` +
            'Check the --log URLs and that the servers are running',
          { cause: error },
        );
      }
      await later(RECONNECT_EVERY_MS);
    }
  }
}

function connectOnce(
  { clientName, credentials, servers }: ConnectOptions,
  first: { readonly waitOnFirstConnect: boolean; readonly timeout?: number },
): Promise<NatsConnection> {
  const { caFile, certFile, keyFile, password, user } = credentials ?? {};
  const hasTls = caFile !== undefined || certFile !== undefined;
  return connect({
    servers: [...servers],
    name: clientName,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_EVERY_MS,
    ...first,
    pingInterval: PING_EVERY_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { pass: password }),
    ...(hasTls
      ? {
          tls: {
            ...(caFile && { caFile }),
            ...(certFile && { certFile }),
            ...(keyFile && { keyFile }),
          },
        }
      : {}),
  });
}

type ServerCheck = {
  /** Reasons why a server could lose an acknowledged message. */
  readonly faults: readonly string[];
  /** The servers whose syncing is unknown, each with the reason. */
  readonly unchecked: readonly string[];
};

type Server = { readonly id: string; readonly name: string; readonly version: string };

type Monitored = Server & { readonly url: string; readonly isSyncing: boolean };

const ANSWER_MS_MAX = 3_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

/**
 * Queries the version of each server and, through the known monitoring ports, whether it syncs each
 * message before acknowledging it. An unavailable server does not prevent startup, because the
 * others can form a quorum without it.
 */
export async function checkServers(
  options: ConnectOptions & { readonly monitors?: readonly string[] | undefined },
  /** The names of the servers that store the stream, whether or not `--log` contains them. */
  members: readonly string[],
): Promise<ServerCheck> {
  const { monitors = [], servers } = options;
  const asked = await Promise.allSettled(servers.map((address) => serverAt(options, address)));
  const watched = await Promise.allSettled(monitors.map((url) => monitoredAt(url)));
  const connected = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const monitored = watched.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const all = new Map([...connected, ...monitored].map((server) => [server.id, server]));
  const faults = [...all.values()]
    .filter(({ version }) => isBelowNatsMin(version))
    .map(
      ({ name, version }) =>
        `server ${name} runs NATS ${version}, but ${NATS_VERSION_MIN} or later is required`,
    );
  for (const { isSyncing, name, url } of monitored) {
    if (isSyncing) continue;
    faults.push(`server ${name} (${url}) does not sync every message (sync_interval: always)`);
  }
  const known = new Set(monitored.map(({ id }) => id));
  const unchecked = connected
    .filter(({ id }) => !known.has(id))
    .map(({ name }) => `server ${name}: its monitoring port is unknown`);
  for (const [at, { status }] of watched.entries())
    if (status === 'rejected')
      unchecked.push(`${monitors[at]} is not the monitoring port of a NATS server`);
  for (const [at, { status }] of asked.entries())
    if (status === 'rejected') unchecked.push(`no response from ${servers[at]}`);
  const names = new Set([...all.values()].map(({ name }) => name));
  for (const name of members.filter((each) => !names.has(each)))
    unchecked.push(`server ${name} is not reachable through --log or --nats-monitors`);
  return { faults, unchecked };
}

async function serverAt(options: ConnectOptions, address: string): Promise<Server> {
  const connection = await connectTo({ ...options, servers: [address], firstWithinMs: 0 });
  const { server_id: id = '', server_name: name = '', version = '' } = connection.info ?? {};
  await connection.close();
  return { id, name, version };
}

async function monitoredAt(url: string): Promise<Monitored> {
  const response = await fetch(`${url.replace(/\/$/, '')}/varz`, {
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const answer = (await boundedJson(response, ANSWER_BYTES_MAX)) as {
    readonly server_id: string;
    readonly server_name: string;
    readonly version: string;
    readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } };
  };
  const { jetstream, server_id: id, server_name: name, version } = answer;
  if (typeof id !== 'string' || typeof version !== 'string') throw new TypeError('not a server');
  return { url, id, name, version, isSyncing: jetstream?.config?.sync_always === true };
}
