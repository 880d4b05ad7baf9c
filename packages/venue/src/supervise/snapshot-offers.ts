import { join } from 'node:path';
import type { Logger } from '@oddlot/host/log';
import type { Lease } from '../lease/lease.ts';
import { SnapshotStore } from '../log/snapshot-store.ts';
import type { Cluster } from './open-cluster.ts';

/** Offers the snapshots of this replica to those who join, while it is the one that does. */
export class SnapshotOffers {
  readonly #directory: string;
  readonly #cluster: Pick<Cluster, 'snapshots'>;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #isHeld = false;
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
    await lease.hold(
      'snapshots',
      () => void (this.#isHeld = true),
      () => void (this.#isHeld = false),
    );
  }

  /** A snapshot was written. One after the other; what could not be offered is overtaken by the next. */
  take(height: number): void {
    if (!this.#isHeld) return;
    this.#last = this.#last
      .then(() => this.#offer(height))
      .catch((err: unknown) => {
        this.#log.warn({ err, height }, 'a snapshot could not be offered to those who join');
      });
  }

  async #offer(height: number): Promise<void> {
    const files = await new SnapshotStore({ directory: this.#directory }).list();
    const file = files.find((each) => each.height === height);
    if (file === undefined) return;
    await this.#cluster.snapshots.offer(file.path);
    this.#log.info({ height }, 'a snapshot is offered to those who join');
  }
}
