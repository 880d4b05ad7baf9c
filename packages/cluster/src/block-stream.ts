import { setTimeout as later } from 'node:timers/promises';
import {
  type JetStreamClient,
  jetstream,
  type JetStreamManager,
  jetstreamManager,
  JetStreamApiError,
  type StreamInfo,
} from '@nats-io/jetstream';
import { headers, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { checkServers, type ConnectOptions, connectTo } from './connection.ts';
import { type Follower, Following, type StreamMessage, READ_POSITION_HEADER } from './following.ts';
import { streamFaults, requiredConfig } from './stream-config.ts';
import { NotNextError, WeakStreamError } from './stream-error.ts';

export type StreamEnd = {
  readonly firstPlace: number;
  readonly lastPlace: number;
  readonly leader: string | undefined;
  /** The time since the leader last heard from a majority of the servers, in milliseconds. */
  readonly silentMs: number;
};

type BlockStreamOptions = ConnectOptions & {
  /** The name of the cluster, which is part of the stream's name. */
  readonly cluster: string;
  readonly replicas: number;
  /**
   * True for read-only callers, for which a missing stream is not created. A missing stream behaves
   * like an empty one.
   */
  readonly makesNone?: boolean | undefined;
  /** Called with the faults if the operator accepts a stream that could lose data. */
  readonly onWeak?: ((faults: readonly string[]) => void) | undefined;
  /** The monitoring ports of the servers, which show whether a server syncs every message. */
  readonly monitors?: readonly string[] | undefined;
  /** Called with the servers whose syncing could not be verified. */
  readonly onUnchecked?: ((servers: readonly string[]) => void) | undefined;
};

/** A message to publish, and how far its proposer had read the stream. */
type Outgoing = Pick<StreamMessage, 'data' | 'readPosition'>;

/**
 * Thrown if the leader has not heard from a majority of the servers recently; another server may
 * have become the leader.
 */
class NoQuorumError extends Error {
  override readonly name = 'NoQuorumError';
}

/** The maximum size of a block, unless it consists of a single larger request. */
const BLOCK_BYTES_MAX = 8 * 1024 * 1024;
const PUBLISH_TIMEOUT_MS = 3_000;
const API_TIMEOUT_MS = 3_000;
/** Less than the 4 s after which servers elect a new leader. */
const SILENT_MS_MAX = 3_000;
/**
 * How long servers may take to elect a leader after one of them has been connected to, in
 * milliseconds.
 */
const READY_MS_MAX = 20_000;
const AGAIN_AFTER_MS = 200;
/** The JetStream error code for "wrong last sequence". */
const WRONG_LAST_SEQUENCE = 10_071;

/**
 * A stream of blocks on NATS JetStream, regardless of their content. It publishes each message
 * once, reads in order from a given position, and queries the end. Readers retry indefinitely while
 * servers are unavailable; the caller decides when to stop.
 */
export class BlockStream {
  readonly subject: string;
  readonly #name: string;
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  #isClosed = false;
  #messageBytesMax = BLOCK_BYTES_MAX;

  private constructor(
    options: BlockStreamOptions,
    connection: NatsConnection,
    manager: JetStreamManager,
  ) {
    this.subject = subjectOf(options.cluster);
    this.#name = streamNameOf(options.cluster);
    this.#connection = connection;
    this.#manager = manager;
    this.#client = jetstream(connection, { timeout: API_TIMEOUT_MS });
  }

  /**
   * Connects, and creates the stream if it is missing. Throws if its settings could cause a loss of
   * data.
   */
  static async open(options: BlockStreamOptions): Promise<BlockStream> {
    const connection = await connectTo(options);
    try {
      return await onceReady(async () => {
        // The manager first checks whether JetStream is available.
        const manager = await jetstreamManager(connection, { timeout: API_TIMEOUT_MS });
        const stream = new BlockStream(options, connection, manager);
        await stream.#ensure(options);
        return stream;
      });
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  get connection(): NatsConnection {
    return this.#connection;
  }

  get isConnected(): boolean {
    return !this.#connection.isClosed() && this.#connection.info !== undefined;
  }

  /** The largest message accepted by the servers, as last reported by one of them. */
  get messageBytesMax(): number {
    // While disconnected, the last known value applies.
    this.#messageBytesMax = this.#connection.info?.max_payload ?? this.#messageBytesMax;
    return this.#messageBytesMax;
  }

  async exists(): Promise<boolean> {
    return (await this.#info()) !== undefined;
  }

  /**
   * Queries the leader for the end of the stream. Throws if there is no leader, or if it has lost
   * contact with a majority of the servers, because a leader that is cut off still responds. A
   * stream that was removed ends before its first message.
   */
  async end(): Promise<StreamEnd> {
    const info = await this.#info();
    if (info === undefined) return { firstPlace: 0, lastPlace: 0, leader: undefined, silentMs: 0 };
    const silentMs = majoritySilentMs(info);
    if (silentMs > SILENT_MS_MAX)
      throw new NoQuorumError(
        `${info.cluster?.leader} has lost contact with a majority of the servers`,
      );
    const { first_seq: firstPlace, last_seq: lastPlace } = info.state;
    return { firstPlace, lastPlace, leader: info.cluster?.leader, silentMs };
  }

  /**
   * Returns the last position, which the servers report when they reject a message that no position
   * can satisfy; nothing is stored. In NATS 2.10, a majority of the servers agrees on the
   * rejection; in later releases, the leader rejects without asking the others.
   */
  async endByRefusal(): Promise<number> {
    const expect = { lastSequence: Number.MAX_SAFE_INTEGER };
    try {
      await this.#client.publish(this.subject, '', { timeout: PUBLISH_TIMEOUT_MS, expect });
    } catch (error) {
      const isRefused = error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;
      const [place] = isRefused ? (/\d+$/.exec(error.message) ?? []) : [];
      if (place !== undefined) return Number(place);
      throw error;
    }
    throw new Error(`a message was stored after sequence number ${expect.lastSequence}`);
  }

  async at(place: number): Promise<Uint8Array | undefined> {
    return (await this.messageAt(place))?.data;
  }

  async messageAt(place: number): Promise<StreamMessage | undefined> {
    try {
      const found = await this.#manager.streams.getMessage(this.#name, { seq: place });
      return found === null
        ? undefined
        : { place, data: found.data, readPosition: found.header.get(READ_POSITION_HEADER) };
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Publishes a message once, under an id by which the servers recognise duplicates. Throws if it
   * is unknown whether the message was stored.
   */
  async publish(
    id: string,
    {
      data,
      timeoutMs = PUBLISH_TIMEOUT_MS,
      readPosition,
    }: Outgoing & { readonly timeoutMs?: number },
  ): Promise<void> {
    await this.#client.publish(this.subject, data, {
      msgID: id,
      timeout: timeoutMs,
      retries: 1,
      ...headersOf(readPosition),
    });
  }

  /** Publishes a message only if it directly follows the message at a position. */
  async publishBehind(place: number, id: string, { data, readPosition }: Outgoing): Promise<void> {
    try {
      await this.#client.publish(this.subject, data, {
        msgID: id,
        timeout: PUBLISH_TIMEOUT_MS,
        retries: 1,
        expect: { lastSequence: place },
        ...headersOf(readPosition),
      });
    } catch (error) {
      const isOther = error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;
      if (isOther)
        throw new NotNextError(`sequence number ${place} is followed by an unexpected message`, {
          cause: error,
        });
      throw error;
    }
  }

  /**
   * Delivers every message from a given position, in order and each once, until stopped. Servers
   * can disappear and return in the meantime.
   */
  follow(fromPlace: number, follower: Follower): Following {
    const stream = this.#name;
    const following = new Following({ client: this.#client, stream, fromPlace, follower });
    following.start();
    return following;
  }

  /** Removes the stream with its content, before it is rewritten from a copy. */
  async remove(): Promise<void> {
    try {
      await this.#manager.streams.delete(this.#name);
    } catch (error) {
      // The stream did not exist, or the response to the first attempt was lost.
      if (!(error instanceof JetStreamApiError && error.status === 404)) throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#connection.close();
  }

  async #ensure(options: BlockStreamOptions): Promise<void> {
    const { cluster, makesNone, onUnchecked, onWeak, replicas } = options;
    const required = requiredConfig({ name: this.#name, subject: this.subject, replicas });
    const found = await this.#info();
    if (found === undefined && makesNone === true) return;
    const info = found ?? (await this.#manager.streams.add(required));
    const servers = await checkServers(options, membersOf(info));
    if (servers.unchecked.length > 0) onUnchecked?.(servers.unchecked);
    const faults = [...streamFaults(info.config, required), ...servers.faults];
    const { messageBytesMax } = this;
    if (messageBytesMax < BLOCK_BYTES_MAX) {
      faults.push(
        `the servers accept messages of up to ${messageBytesMax} bytes (max_payload), but a block ` +
          `may have up to ${BLOCK_BYTES_MAX}`,
      );
    }
    if (faults.length === 0) return;
    if (onWeak === undefined) throw new WeakStreamError(cluster, faults);
    onWeak(faults);
  }

  async #info(): Promise<StreamInfo | undefined> {
    try {
      return await this.#manager.streams.info(this.#name);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status === 404) return undefined;
      throw error;
    }
  }
}

/** Retries, because servers that have just started can return errors or not respond at all. */
async function onceReady<T>(open: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + READY_MS_MAX;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (error instanceof WeakStreamError || performance.now() > untilMs) throw error;
      await later(AGAIN_AFTER_MS);
    }
  }
}

function membersOf({ cluster }: StreamInfo): readonly string[] {
  const others = (cluster?.replicas ?? []).map(({ name }) => name);
  // There is no leader during an election.
  return cluster?.leader ? [cluster.leader, ...others] : others;
}

/** Returns the time since the leader last heard from enough servers to form a majority with it. */
function majoritySilentMs({ cluster, config }: StreamInfo): number {
  const needed = Math.floor(config.num_replicas / 2);
  const serverSilentMs = (cluster?.replicas ?? [])
    // A server the leader has never heard from is listed with 0.
    .map(({ active, offline }) => (offline === true || active === 0 ? Infinity : active / 1e6))
    .toSorted((a, b) => a - b);
  return needed === 0 ? 0 : (serverSilentMs[needed - 1] ?? Infinity);
}

function headersOf(readPosition: string | undefined): { readonly headers?: MsgHdrs } {
  if (readPosition === undefined) return {};
  const own = headers();
  own.set(READ_POSITION_HEADER, readPosition);
  return { headers: own };
}

function subjectOf(cluster: string): string {
  return `oddlot.${cluster}.blocks`;
}

function streamNameOf(cluster: string): string {
  return `oddlot-${cluster}-blocks`;
}
