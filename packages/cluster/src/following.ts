import { setTimeout as later } from 'node:timers/promises';
import { type ConsumerMessages, DeliverPolicy, type JetStreamClient } from '@nats-io/jetstream';
import { TooLateError, withinMs } from './patiently.ts';

/** A message of the stream by its place in it. */
export type StreamMessage = {
  readonly place: number;
  readonly data: Uint8Array;
  /** What its proposer had read when it sent it, where it said so. */
  readonly told?: string | undefined;
};

/** In a header, which a release that does not know it leaves aside. */
export const TOLD_HEADER = 'Oddlot-Read';

/** Takes a message; where it returns a promise, the next one waits for it. */
type TakeMessage = (message: StreamMessage) => Promise<void> | undefined;

/** Who reads a stream, and what it is told. */
export type Follower = {
  readonly take: TakeMessage;
  /** The stream has another message at a place that was read before; nothing more is handed over. */
  readonly onReplaced: (place: number) => void;
  /** What was read can't be taken, or is not there any more. */
  readonly onFatal: (error: unknown) => void;
};

/** What is on its way to here: well below what a server lets a slow consumer have. */
const BYTES_MAX = 2 * 1024 * 1024;
const HEARTBEAT_MS = 500;
const EXPIRES_MS = 5_000;
const AGAIN_AFTER_MS = 100;
/**
 * Who has not answered by then is asked again: soon, since what is asked while servers elect a leader nobody ever answers, and
 * later where they are only slow.
 */
const OPEN_MS_MIN = 1_000;
const OPEN_MS_MAX = 8_000;
/** A consumer of a process that died goes after so long. */
const INACTIVE_NS = 30_000_000_000;

/** The stream no longer has what comes next for this reader. */
class StreamGapError extends Error {
  override readonly name = 'StreamGapError';
}

/**
 * Reads a stream in order from a place on, and goes on at the same place after whatever happens to the
 * servers. The client library has a consumer that does most of it; this one asks anew when nothing is heard of it, and
 * believes the places alone.
 */
export class Following {
  readonly #client: JetStreamClient;
  readonly #stream: string;
  readonly #follower: Follower;
  #nextPlace: number;
  /** What was read last, to be read once more by who is asked anew: servers that came back may have another one there. */
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

  /** The place of the message that is handed over next. */
  get nextPlace(): number {
    return this.#nextPlace;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Asks anew for what comes next: nothing is heard although there is more. */
  renew(): void {
    this.#messages?.stop();
  }

  /** Resolves when nothing is handed over any more. */
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
          // One that comes too late is stopped.
          opening.then((each) => each.stop()).catch(() => undefined);
          throw error;
        });
        this.#openMs = OPEN_MS_MIN;
      } catch (error) {
        if (error instanceof TooLateError) this.#openMs = Math.min(OPEN_MS_MAX, 2 * this.#openMs);
        // No leader, or no way to it: it is tried again for as long as it takes.
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

  /** Returns when this consumer has to be asked for anew. */
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
        // In the middle something was skipped on the way; at the start it is not there any more.
        if (!isFirst) return;
        throw new StreamGapError(`the stream begins at ${place}, but ${this.#nextPlace} is needed`);
      }
      isFirst = false;
      this.#nextPlace = place + 1;
      this.#last = message.data;
      const told = message.headers?.get(TOLD_HEADER);
      const taken = this.#follower.take({ place, data: message.data, told });
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
        // It goes on behind what it read last, without looking at that once more.
        status.type === 'ordered_consumer_recreated' ||
        status.type === 'consumer_not_found' ||
        status.type === 'consumer_deleted' ||
        status.type === 'stream_not_found' ||
        status.type === 'no_responders';
      if (isLost) messages.stop();
    }
  }
}
