import { createLogger, type Logger } from '@oddlot/host/log';
import type { TimeSource } from '@oddlot/host/clock';
import { readConfig } from '../../../../packages/venue/src/config.ts';
import { startVenue, type Venue } from '../../../../packages/venue/src/venue.ts';

type ReplicaOptions = {
  readonly url: string;
  readonly cluster: string;
  readonly name: string;
  readonly data: string;
  readonly time?: TimeSource;
  readonly log?: Logger;
  /** The number of servers that store the stream (one by default). */
  readonly streamReplicas?: number;
  readonly flags?: readonly string[];
  readonly onFatal?: (error: unknown) => void;
};

/** A cluster replica in this process, with helpers for tests. */
type StartedReplica = Venue & {
  operations(path: string): Promise<unknown>;
  /** Returns the value of a metric, or NaN if it is not reported. */
  metric(name: string): Promise<number>;
  info(body: object): Promise<{ status: number; headers: Headers; body: unknown }>;
  /** Requests test funds for a new account, which is the simplest possible write request. */
  faucet(): Promise<{ status: number; headers: Headers; body: unknown }>;
};

export async function startReplica(options: ReplicaOptions): Promise<StartedReplica> {
  const { cluster, data, flags = [], name, time, url } = options;
  const ports = ['--port', '0', '--ops-port', '0'];
  const place = ['--log', url, '--cluster', cluster, '--replica', name];
  const replicas = ['--stream-replicas', String(options.streamReplicas ?? 1)];
  const lean = ['--no-web', '--chain', 'none', '--oracle', 'still', '--no-limits', '--no-bots'];
  const config = readConfig(
    [
      '--data',
      data,
      '--public-url',
      `http://${name}.example`,
      ...ports,
      ...place,
      ...replicas,
      ...lean,
      '--no-exhibition',
      ...flags,
    ],
    {},
  );
  const venue = await startVenue(config, {
    log: options.log ?? createLogger({ level: 'silent' }),
    onFatal:
      options.onFatal ??
      ((error) => {
        throw error;
      }),
    ...(time && { time }),
  });
  const post = async (path: string, body: object) => {
    const response = await fetch(venue.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    ...venue,
    operations: async (path) => (await fetch(venue.operationsUrl + path)).json(),
    async metric(metric) {
      const text = await (await fetch(`${venue.operationsUrl}/metrics`)).text();
      const line = text.split('\n').find((each) => each.startsWith(`${metric} `));
      return line === undefined ? Number.NaN : Number(line.slice(metric.length + 1));
    },
    info: (body) => post('/info', body),
    faucet: () => post('/request-fund', { user: randomAddress(), accountType: 'perp' }),
  };
}

function randomAddress(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
