import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { patiently } from './patiently.ts';

/** A key-value bucket of a cluster: `replicas` is how far each is, `leases` who does what. */
export function openBucket(
  connection: NatsConnection,
  {
    cluster,
    replicas,
    what,
  }: { readonly cluster: string; readonly what: string; readonly replicas: number },
): Promise<KV> {
  return patiently(() =>
    new Kvm(jetstream(connection)).create(`oddlot-${cluster}-${what}`, {
      replicas,
      history: 1,
      allow_direct: false,
    }),
  );
}

/** When the servers made a bucket, in milliseconds since 1970. */
export async function madeMsOf(bucket: KV): Promise<number> {
  const { streamInfo } = await patiently(() => bucket.status());
  return Date.parse(streamInfo.created);
}

/** Whether a cluster has it, for who would not make one. */
export async function hasBucket(
  connection: NatsConnection,
  { cluster, what }: { readonly cluster: string; readonly what: string },
): Promise<boolean> {
  const manager = await patiently(() => jetstreamManager(connection));
  return patiently(async () => {
    try {
      await manager.streams.info(`KV_oddlot-${cluster}-${what}`);
      return true;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status === 404) return false;
      throw error;
    }
  });
}
