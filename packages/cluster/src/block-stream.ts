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
import { type Follower, Following, type StreamMessage, TOLD_HEADER } from './following.ts';
import { streamFaults, wantedConfig } from './stream-config.ts';
import { NotNextError, WeakStreamError } from './stream-error.ts';

/** How far a stream goes, as the server says that leads it. */
export type StreamEnd = {
  readonly firstPlace: number;
  readonly lastPlace: number;
  readonly leader: string | undefined;
  /** How long ago that server last heard from a majority. */
  readonly heardMs: number;
};

type BlockStreamOptions = ConnectOptions & {
  /** The name of the cluster, after which the stream is called. */
  readonly cluster: string;
  readonly replicas: number;
  /** Where there is no stream none is made, for who only looks; it is as if it were empty. */
  readonly makesNone?: boolean | undefined;
  /** An operator takes a stream that could lose something for what it is, and is told what. */
  readonly onWeak?: ((faults: readonly string[]) => void) | undefined;
  /** Monitoring ports of the servers, which show whether they sync. */
  readonly monitors?: readonly string[] | undefined;
  /** Servers whose syncing could not be checked. */
  readonly onUnchecked?: ((servers: readonly string[]) => void) | undefined;
};

/** What is written: a message, and what its proposer has read so far. */
type Outgoing = Pick<StreamMessage, 'data' | 'told'>;

/** A server that leads the stream has not heard of most of the others lately: another one may lead it by now. */
class NoQuorumError extends Error {
  override readonly name = 'NoQuorumError';
}

/** What a block takes at most, a request that is larger than any other left aside. */
const BLOCK_BYTES_MAX = 8 * 1024 * 1024;
const PUBLISH_TIMEOUT_MS = 3_000;
const API_TIMEOUT_MS = 3_000;
/** Less than the 4 s after which servers elect another leader than one that they do not hear of. */
const HEARD_MS_MAX = 3_000;
/** How long servers may take until they know who leads, once one of them is connected. */
const READY_MS_MAX = 20_000;
const AGAIN_AFTER_MS = 200;
/** "wrong last sequence" */
const WRONG_LAST_SEQUENCE = 10_071;

/**
 * The stream of blocks on NATS JetStream, and nothing of what is in them: publishing once, reading in order from
 * a place on, and asking how far it goes. It never gives up on servers that are away; who waits has to know when to stop.
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

  /** Connects, and makes the stream where there is none. Throws where its settings could lose something. */
  static async open(options: BlockStreamOptions): Promise<BlockStream> {
    const connection = await connectTo(options);
    try {
      return await onceReady(async () => {
        // What the manager asks first is whether there is JetStream at all.
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

  /** The largest message that the servers take, as one of them last said. */
  get messageBytesMax(): number {
    // While there is no server, what the last one took holds.
    this.#messageBytesMax = this.#connection.info?.max_payload ?? this.#messageBytesMax;
    return this.#messageBytesMax;
  }

  async exists(): Promise<boolean> {
    return (await this.#info()) !== undefined;
  }

  /**
   * As its leader reports it; throws while there is none, or none that a majority of the servers follows. A stream that
   * was removed ends before its first message. A leader that is cut off continues to answer without asking the others.
   */
  async end(): Promise<StreamEnd> {
    const info = await this.#info();
    if (info === undefined) return { firstPlace: 0, lastPlace: 0, leader: undefined, heardMs: 0 };
    const heardMs = heardOfMajorityMs(info);
    if (heardMs > HEARD_MS_MAX)
      throw new NoQuorumError(
        `${info.cluster?.leader} has lost contact with a majority of the servers`,
      );
    const { first_seq: firstPlace, last_seq: lastPlace } = info.state;
    return { firstPlace, lastPlace, leader: info.cluster?.leader, heardMs };
  }

  /**
   * The last place, as the refusal of a message reports it that no place is right for: nothing is stored. In NATS 2.10 the
   * servers agree on the refusal by a majority; the leader of a later release refuses without asking the others.
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

  /** What one message says, or undefined when the stream has none at that place. */
  async at(place: number): Promise<Uint8Array | undefined> {
    return (await this.messageAt(place))?.data;
  }

  async messageAt(place: number): Promise<StreamMessage | undefined> {
    try {
      const found = await this.#manager.streams.getMessage(this.#name, { seq: place });
      return found === null
        ? undefined
        : { place, data: found.data, told: found.header.get(TOLD_HEADER) };
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Publishes a message once, under an id by which the servers know a second one of the same. Throws when it
   * is not known to be stored: it may be.
   */
  async publish(
    id: string,
    { data, timeoutMs = PUBLISH_TIMEOUT_MS, told }: Outgoing & { readonly timeoutMs?: number },
  ): Promise<void> {
    await this.#client.publish(this.subject, data, {
      msgID: id,
      timeout: timeoutMs,
      retries: 1,
      ...headersOf(told),
    });
  }

  /** The same, if it then comes directly behind a place. */
  async publishBehind(place: number, id: string, { data, told }: Outgoing): Promise<void> {
    try {
      await this.#client.publish(this.subject, data, {
        msgID: id,
        timeout: PUBLISH_TIMEOUT_MS,
        retries: 1,
        expect: { lastSequence: place },
        ...headersOf(told),
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
   * Hands over every message from a place on, in order and each once, until it is stopped. Servers may go away
   * meanwhile and come back.
   */
  follow(fromPlace: number, follower: Follower): Following {
    const stream = this.#name;
    const following = new Following({ client: this.#client, stream, fromPlace, follower });
    following.start();
    return following;
  }

  /** Removes the stream with all that is in it, to be written again from a copy. */
  async remove(): Promise<void> {
    try {
      await this.#manager.streams.delete(this.#name);
    } catch (error) {
      // There was none, or the answer to the first time got lost.
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
    const wanted = wantedConfig({ name: this.#name, subject: this.subject, replicas });
    const found = await this.#info();
    if (found === undefined && makesNone === true) return;
    const info = found ?? (await this.#manager.streams.add(wanted));
    const servers = await checkServers(options, membersOf(info));
    if (servers.unchecked.length > 0) onUnchecked?.(servers.unchecked);
    const faults = [...streamFaults(info.config, wanted), ...servers.faults];
    const { messageBytesMax } = this;
    if (messageBytesMax < BLOCK_BYTES_MAX) {
      faults.push(
        `the servers accept messages of ${messageBytesMax} bytes (max_payload), but a block ` +
          `may have ${BLOCK_BYTES_MAX}`,
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

/** Servers that have just been started answer before they can do anything, or not at all. */
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

/** The names of the servers that keep a stream. */
function membersOf({ cluster }: StreamInfo): readonly string[] {
  const others = (cluster?.replicas ?? []).map(({ name }) => name);
  // There is no leader while one is elected.
  return cluster?.leader ? [cluster.leader, ...others] : others;
}

/** How long ago the leader has heard last of so many servers that they are a majority with it. */
function heardOfMajorityMs({ cluster, config }: StreamInfo): number {
  const needed = Math.floor(config.num_replicas / 2);
  const heard = (cluster?.replicas ?? [])
    // Never heard of shows as 0.
    .map(({ active, offline }) => (offline === true || active === 0 ? Infinity : active / 1e6))
    .toSorted((a, b) => a - b);
  return needed === 0 ? 0 : (heard[needed - 1] ?? Infinity);
}

function headersOf(told: string | undefined): { readonly headers?: MsgHdrs } {
  if (told === undefined) return {};
  const own = headers();
  own.set(TOLD_HEADER, told);
  return { headers: own };
}

function subjectOf(cluster: string): string {
  return `oddlot.${cluster}.blocks`;
}

function streamNameOf(cluster: string): string {
  return `oddlot-${cluster}-blocks`;
}
