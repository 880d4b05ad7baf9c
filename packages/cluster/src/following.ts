import { setTimeout as later } from 'node:timers/promises';
import { type ConsumerMessages, DeliverPolicy, type JetStreamClient } from '@nats-io/jetstream';
import { TooLateError, withinMs } from './retry-until-answered.ts';

export type StreamMessage = {
  readonly place: number;
  readonly data: Uint8Array;
  /** How far the proposer had read the stream when it sent the message, if the message says so. */
  readonly readPosition?: string | undefined;
};

/** The name of the header with the read position, which older releases ignore. */
export const READ_POSITION_HEADER = 'Oddlot-Read';

/** Accepts a message. If it returns a promise, the next message waits for it. */
type TakeMessage = (message: StreamMessage) => Promise<void> | undefined;

export type Follower = {
  readonly take: TakeMessage;
  /**
   * Called if the stream has a different message at a position that was read before. No more
   * messages are passed on.
   */
  readonly onReplaced: (place: number) => void;
  readonly onFatal: (error: unknown) => void;
};

/**
 * The maximum size of messages in transit, in bytes. It is well below the servers' limit for slow
 * consumers.
 */
const BYTES_MAX = 2 * 1024 * 1024;
const HEARTBEAT_MS = 500;
const EXPIRES_MS = 5_000;
const AGAIN_AFTER_MS = 100;
/**
 * The timeout of a request, which doubles up to the maximum: requests sent during an election never
 * get a response, but afterwards the servers may just be slow.
 */
const OPEN_MS_MIN = 1_000;
const OPEN_MS_MAX = 8_000;
/** How long servers keep the consumer of a dead process, in nanoseconds. */
const INACTIVE_NS = 30_000_000_000;

/** Thrown if the stream no longer has the next message for this reader. */
class StreamGapError extends Error {
  override readonly name = 'StreamGapError';
}

/**
 * Reads a stream in order from a given position, and resumes at the same position after any server
 * failure. The client library's ordered consumer does most of this; this class renews the consumer
 * when it stalls, and relies only on the positions of messages.
 */
export class Following {
  readonly #client: JetStreamClient;
  readonly #stream: string;
  readonly #follower: Follower;
  #nextPlace: number;
  /**
   * The last message, which a renewed reader compares: servers that were away may have a different
   * message at its position.
   */
  #last: Uint8Array | undefined;
  #messages: ConsumerMessages | undefined;
  #openMs = OPEN_MS_MIN;
  #isStopped = false;
  #ended: Promise<void> | undefined;

  constructor(options: {
    readonly client: JetStreamClient;
    readonly stream: string;
    readonly fromPlace: number;
    readonly follower: Follower;
  }) {
    this.#client = options.client;
    this.#stream = options.stream;
    this.#nextPlace = options.fromPlace;
    this.#follower = options.follower;
  }

  get nextPlace(): number {
    return this.#nextPlace;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Requests the next messages again, because nothing is arriving although there are more. */
  renew(): void {
    this.#messages?.stop();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#messages?.stop();
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      let messages: ConsumerMessages | undefined;
      try {
        const opening = this.#open();
        messages = await withinMs(opening, this.#openMs).catch((error: unknown) => {
          // A consumer that opens too late is stopped.
          opening.then((each) => each.stop()).catch(() => undefined);
          throw error;
        });
        this.#openMs = OPEN_MS_MIN;
      } catch (error) {
        if (error instanceof TooLateError) this.#openMs = Math.min(OPEN_MS_MAX, 2 * this.#openMs);
        // While there is no leader or no connection, the request is retried indefinitely.
        await later(AGAIN_AFTER_MS);
        continue;
      }
      try {
        await this.#read(messages);
      } catch (error) {
        this.#isStopped = true;
        this.#follower.onFatal(error);
      }
      messages.stop();
    }
  }

  async #open(): Promise<ConsumerMessages> {
    const consumer = await this.#client.consumers.get(this.#stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.#beginPlace,
      inactive_threshold: INACTIVE_NS,
    });
    const messages = await consumer.consume({
      max_bytes: BYTES_MAX,
      idle_heartbeat: HEARTBEAT_MS,
      expires: EXPIRES_MS,
    });
    this.#messages = messages;
    void this.#watch(messages);
    if (this.#isStopped) messages.stop();
    return messages;
  }

  get #beginPlace(): number {
    return this.#last === undefined ? this.#nextPlace : this.#nextPlace - 1;
  }

  /** Returns when this consumer must be renewed. */
  async #read(messages: ConsumerMessages): Promise<void> {
    let isFirst = true;
    for await (const message of messages) {
      if (this.#isStopped) return;
      const { seq: place } = message;
      if (place < this.#nextPlace) {
        isFirst = false;
        if (this.#isAsRead(place, message.data)) continue;
        this.#isStopped = true;
        this.#follower.onReplaced(place);
        return;
      }
      if (place > this.#nextPlace) {
        // A gap after the first message means that messages were lost in transit. A gap before it
        // means that they no longer exist.
        if (!isFirst) return;
        throw new StreamGapError(`the stream begins at ${place}, but ${this.#nextPlace} is needed`);
      }
      isFirst = false;
      this.#nextPlace = place + 1;
      this.#last = message.data;
      const readPosition = message.headers?.get(READ_POSITION_HEADER);
      const taken = this.#follower.take({ place, data: message.data, readPosition });
      if (taken !== undefined) await taken;
    }
  }

  #isAsRead(place: number, data: Uint8Array): boolean {
    if (place !== this.#nextPlace - 1 || this.#last === undefined) return true;
    return Buffer.compare(this.#last, data) === 0;
  }

  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const status of messages.status()) {
      const isLost =
        status.type === 'heartbeats_missed' ||
        // The library would continue after its last message without comparing it again.
        status.type === 'ordered_consumer_recreated' ||
        status.type === 'consumer_not_found' ||
        status.type === 'consumer_deleted' ||
        status.type === 'stream_not_found' ||
        status.type === 'no_responders';
      if (isLost) messages.stop();
    }
  }
}
