import type { ArchivistOrder, ArchivistReport } from './archivist-messages.ts';

/** Snapshots that somebody waits for, out of turn. */
export class WantedSnapshots {
  readonly #waiting = new Map<number, PromiseWithResolvers<number>>();
  #lastId = 0;
  #failure: unknown;

  /** Resolves with the block that the newest snapshot is of, once one was written. */
  ask(order: (order: ArchivistOrder) => void): Promise<number> {
    const wanted = Promise.withResolvers<number>();
    if (this.#failure !== undefined) wanted.reject(this.#failure);
    else {
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, wanted);
      order({ type: 'writeSnapshot', id: this.#lastId });
    }
    return wanted.promise;
  }

  written({ height, id }: Extract<ArchivistReport, { type: 'snapshotWritten' }>): void {
    this.#waiting.get(id)?.resolve(height);
    this.#waiting.delete(id);
  }

  rejectAll(error: unknown): void {
    this.#failure = error;
    for (const wanted of this.#waiting.values()) wanted.reject(error);
    this.#waiting.clear();
  }
}
