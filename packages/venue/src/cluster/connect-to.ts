import { setTimeout as later } from 'node:timers/promises';
import { AuthorizationError, connect, type NatsConnection } from '@nats-io/transport-node';

export type ConnectOptions = {
  /** Addresses of the servers, as `--log` names them. */
  readonly servers: readonly string[];
  /** Who this is, in the lists of the servers. */
  readonly clientName: string;
  readonly credentials?: Credentials | undefined;
  /** How long the first connection is waited for; without end where nothing is said. */
  readonly firstWithinMs?: number | undefined;
};

/** How a client proves who it is; where several are given, all are shown. */
export type Credentials = {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
};

/** Nobody answers at any of the addresses. */
class NoServerError extends Error {
  override readonly name = 'NoServerError';
}

const RECONNECT_EVERY_MS = 250;
const PING_EVERY_MS = 1_000;
const PINGS_UNANSWERED_MAX = 2;
/** A server that takes a connection and says nothing. */
const SILENT_MS_MAX = 3_000;

/** Connects to any of the servers, and again whenever the connection is lost. */
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
          `No server at ${servers.join(', ')} has answered for ${firstWithinMs / 1_000} s. ` +
            'Check --log and whether the servers run',
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
