import { createReadStream, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { jetstream } from '@nats-io/jetstream';
import { type ObjectStore, Objm } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import { isDiskFull, writeFully, writeWholeFileBy } from '@oddlot/host/durable';
import { retryUntilAnswered, withinMs } from './retry-until-answered.ts';

const NAME = /^snapshot-(\d{16})\.bin$/;
/** The number of snapshots kept, so that the next one can be stored while one is being fetched. */
const KEPT = 2;
/**
 * After this many attempts, the previous snapshot is used. Usually, an interrupted connection has
 * recovered by then.
 */
const FETCHES_MAX = 5;

/**
 * A piece counts as lost after this many milliseconds, because its server has forgotten the
 * request.
 */
const PIECE_MS_MAX = 5_000;

type SnapshotExchangeOptions = {
  readonly cluster: string;
  readonly replicas: number;
  readonly pieceMsMax?: number;
};

type SharedSnapshot = { readonly height: number; readonly path: string };

/**
 * The exchange of snapshots with replicas that join a cluster, through an object store of its
 * servers and in the file format of replicas. The fetching replica compares the content with the
 * hash attested in the log.
 */
export class SnapshotExchange {
  readonly #store: ObjectStore;
  readonly #pieceMsMax: number;

  private constructor(store: ObjectStore, pieceMsMax: number) {
    this.#store = store;
    this.#pieceMsMax = pieceMsMax;
  }

  static async open(
    connection: NatsConnection,
    { cluster, pieceMsMax = PIECE_MS_MAX, replicas }: SnapshotExchangeOptions,
  ): Promise<SnapshotExchange> {
    const name = `oddlot-${cluster}-snapshots`;
    const store = await retryUntilAnswered(() =>
      new Objm(jetstream(connection)).create(name, { replicas }),
    );
    return new SnapshotExchange(store, pieceMsMax);
  }

  async offer(path: string): Promise<void> {
    const name = basename(path);
    const bytes = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
    await this.#store.put({ name }, bytes as never);
    const names = (await this.#list()).map(({ name: each }) => each);
    for (const old of names.slice(KEPT)) await this.#store.delete(old);
  }

  /**
   * Fetches the newest available snapshot below a height into a folder. Returns undefined if there
   * is none.
   */
  async fetchNewest(folder: string, below = Infinity): Promise<SharedSnapshot | undefined> {
    const all = await retryUntilAnswered(() => this.#list());
    for (const { height, name } of all.filter((each) => each.height < below)) {
      const path = join(folder, name);
      if (existsSync(path) || (await this.#fetch(name, path))) return { height, path };
    }
    return undefined;
  }

  /** Returns false if the snapshot was removed in the meantime or never arrives in full. */
  async #fetch(name: string, path: string): Promise<boolean> {
    for (let tries = 0; tries < FETCHES_MAX; tries += 1) {
      const found = await retryUntilAnswered(() => this.#store.get(name));
      if (found === null) return false;
      // The error is also reported below or by an earlier piece.
      found.error.catch(() => undefined);
      try {
        await writeWholeFileBy(path, async (handle) => {
          let at = 0;
          for await (const piece of piecesOf(
            found.data as ReadableStream<Uint8Array>,
            this.#pieceMsMax,
          )) {
            await writeFully(handle, Buffer.from(piece), at);
            at += piece.length;
          }
          const failure = await found.error;
          if (failure instanceof Error) throw failure;
        });
        return true;
      } catch (error) {
        if (isDiskFull(error)) throw error;
      }
    }
    return false;
  }

  async #list(): Promise<{ readonly height: number; readonly name: string }[]> {
    const infos = await this.#store.list();
    return infos
      .flatMap(({ deleted, name }) => {
        const match = NAME.exec(name);
        return deleted || match === null ? [] : [{ height: Number(match[1]), name }];
      })
      .toSorted((a, b) => b.height - a.height);
  }
}

/**
 * Reads with a time limit, because the client library waits indefinitely for the next piece from a
 * server that is gone.
 */
async function* piecesOf(
  stream: ReadableStream<Uint8Array>,
  pieceMsMax: number,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const next = await withinMs(reader.read(), pieceMsMax);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // The cancellation is not awaited, because a server that sends nothing does not respond to this
    // request either.
    reader.cancel().catch(() => undefined);
  }
}
