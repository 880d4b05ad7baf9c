import { join } from 'node:path';
import type { Logger } from '@oddlot/host/log';
import type { Held, Lease } from '../lease/lease.ts';
import { SnapshotStore } from '../log/checked-stores.ts';
import type { Cluster } from './open-cluster.ts';

/** Offers the snapshots of this replica to those who join, while it is the one that does. */
class SnapshotOffers {
  readonly #directory: string;
  readonly #cluster: Pick<Cluster, 'snapshots'>;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #isHeld = false;
  #held: Held | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(
    data: string,
    cluster: Pick<Cluster, 'snapshots'>,
    log: Pick<Logger, 'info' | 'warn'>,
  ) {
    this.#directory = join(data, 'snapshots');
    this.#cluster = cluster;
    this.#log = log;
  }

  async hold(lease: Lease): Promise<void> {
    this.#held = await lease.hold(
      'snapshots',
      () => void (this.#isHeld = true),
      () => void (this.#isHeld = false),
    );
  }

  /** Resolves when none is under way any more. */
  async release(): Promise<void> {
    await this.#held?.release();
    await this.#last;
  }

  /** A snapshot was written. One after the other; what could not be offered is overtaken by the next. */
  take(height: number): void {
    if (!this.#isHeld) return;
    this.#last = this.#last
      .then(() => this.#offer(height))
      .catch((err: unknown) => {
        this.#log.warn({ err, height }, 'snapshot could not be offered to joining replicas');
      });
  }

  async #offer(height: number): Promise<void> {
    const files = await new SnapshotStore({ directory: this.#directory }).list();
    const file = files.find((each) => each.height === height);
    if (file === undefined) return;
    await this.#cluster.snapshots.offer(file.path);
    this.#log.info({ height }, 'snapshot offered to joining replicas');
  }
}

/** Where the venue has several replicas. */
export async function holdSnapshotOffers(
  data: string,
  cluster: Cluster | undefined,
  { lease, log }: { readonly lease: Lease; readonly log: Logger },
): Promise<SnapshotOffers | undefined> {
  if (cluster === undefined) return undefined;
  const offers = new SnapshotOffers(data, cluster, log);
  await offers.hold(lease);
  return offers;
}
