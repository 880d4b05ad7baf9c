import { randomUUID } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import {
  type ConsumerMessages,
  DeliverPolicy,
  jetstream,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
} from '@nats-io/jetstream';
import {
  ClosedConnectionError,
  DrainingConnectionError,
  InvalidArgumentError,
  type NatsConnection,
} from '@nats-io/transport-node';
import { chainedCheck, type RecordLines, type RecordStore } from '@oddlot/host/durable';
import { assert } from '@oddlot/units';
import type { Term } from '@oddlot/replica/lease';
import { WeakStreamError } from './stream-error.ts';
import { retryUntilAnswered } from './retry-until-answered.ts';
import { streamFaults, requiredConfig } from './stream-config.ts';

type SharedRecordsOptions = {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly stream: string;
  readonly subject: string;
  readonly holder: string;
  /** Returns true if another process may hold the lease of these records. */
  readonly isOver: () => boolean;
  readonly onLost: (error: unknown) => void;
};

const PUBLISH_TIMEOUT_MS = 2_000;
const AGAIN_AFTER_MS = 100;
/** JetStream's error codes for "wrong last sequence", with and without the number. */
const WRONG_LAST: ReadonlySet<number> = new Set([10_071, 10_164]);
/** The maximum length of one message as text, well below the limit of a server. */
const PIECE_CHARACTERS = 256 * 1024;
/** The records are rewritten when there are this many more than needed. */
const SPARE_RECORDS = 4_096;
const READ_BYTES = 2 * 1024 * 1024;
const READ_HEARTBEAT_MS = 500;
const READ_EXPIRES_MS = 5_000;
const INACTIVE_NS = 30_000_000_000;

/**
 * Records that replicas share: the messages of one subject of a stream, each appended only directly
 * after the last one known to its writer. A new holder appends first and then reads. After that, no
 * former holder can append anything, not even one that was frozen and is unaware of its successor.
 * This fences every side effect that must be recorded before it happens.
 */
class SharedRecords implements RecordStore {
  readonly #options: SharedRecordsOptions;
  /** The position of the last message, which the next one must follow. */
  #last = 0;
  #records: readonly unknown[] = [];
  #count = 0;
  #isDamaged = false;
  #shortenAt = 0;
  #failure: unknown = undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  private constructor(options: SharedRecordsOptions) {
    this.#options = options;
  }

  /** Takes over the records and reads their state at that time. */
  static async take(options: SharedRecordsOptions): Promise<SharedRecords> {
    const records = new SharedRecords(options);
    await records.#takeOver();
    await records.#readAll();
    return records;
  }

  get name(): string {
    return `${this.#options.stream} ${this.#options.subject}`;
  }

  read(): RecordLines {
    return { records: this.#records, damaged: this.#isDamaged ? [1] : [] };
  }

  async append(records: readonly unknown[]): Promise<void> {
    if (records.length === 0) return;
    await this.#inTurn(() => this.#write('append', records));
    this.#count += records.length;
  }

  replace(records: Iterable<unknown>): void {
    const all = [...records];
    // The error is passed to the caller of the next append.
    this.#inTurn(() => this.#writeAnew(all)).catch(() => undefined);
  }

  shorten(records: { readonly size: number; values(): Iterable<unknown> }): void {
    const most = Math.max(records.size + SPARE_RECORDS, this.#shortenAt);
    if (this.#count <= most || this.#failure !== undefined) return;
    this.#shortenAt = this.#count + SPARE_RECORDS;
    this.replace(records.values());
  }

  /** Does nothing. The content stays in the stream, where an operator can inspect it. */
  setAside(): string {
    return this.name;
  }

  close(): void {
    this.#isClosed = true;
  }

  /**
   * Appends a takeover after the current last message. If another holder is still writing, this is
   * retried until one of them succeeds.
   */
  async #takeOver(): Promise<void> {
    for (;;) {
      this.#last = (await this.#retryUntilAnswered(() => this.#lastMessage()))?.place ?? 0;
      try {
        await this.#publish({ kind: 'takeover', holder: this.#options.holder });
        return;
      } catch (error) {
        if (!(error instanceof RecordsLostError) || this.#mayNot) throw error;
      }
    }
  }

  async #readAll(): Promise<void> {
    const until = this.#last;
    const read = await this.#retryUntilAnswered(() => this.#messagesUntil(until));
    const { count, firstOfUse, isDamaged, records } = foldRecords(read);
    this.#records = records;
    this.#count = count;
    this.#isDamaged = isDamaged;
    const [first] = read;
    // An earlier holder stopped before it had removed the obsolete messages.
    if (first !== undefined && first.place < firstOfUse) await this.#removeBefore(firstOfUse);
  }

  async #messagesUntil(until: number): Promise<readonly Placed[]> {
    const { client, stream, subject } = this.#options;
    if (until === 0) return [];
    const read: Placed[] = [];
    const consumer = await client.consumers.get(stream, {
      // The subject is passed as a string, because servers before 2.10 accept only one subject.
      filter_subjects: subject,
      deliver_policy: DeliverPolicy.All,
      inactive_threshold: INACTIVE_NS,
    });
    const messages = await consumer.consume({
      max_bytes: READ_BYTES,
      idle_heartbeat: READ_HEARTBEAT_MS,
      expires: READ_EXPIRES_MS,
    });
    void stopWhenLost(messages);
    try {
      for await (const { data, seq } of messages) {
        read.push({ place: seq, message: decodeRecords(data) });
        if (seq >= until) return read;
      }
    } finally {
      messages.stop();
      await consumer.delete().catch(() => undefined);
    }
    throw new Error(`${subject} could not be read to the end`);
  }

  async #write(kind: 'append' | 'anew', records: readonly unknown[]): Promise<number> {
    let first = 0;
    const pieces = piecesOf(records);
    for (const [at, piece] of pieces.entries()) {
      const isLast = at === pieces.length - 1;
      await this.#publish({ kind, isFirst: at === 0, isLast, records: piece });
      if (at === 0) first = this.#last;
    }
    return first;
  }

  /**
   * Rewrites all records. The old messages are removed only after the last piece has been stored,
   * because the rewrite does not count until then.
   */
  async #writeAnew(records: readonly unknown[]): Promise<void> {
    const first = await this.#write('anew', records);
    this.#count = records.length;
    await this.#removeBefore(first);
  }

  /**
   * Removes obsolete messages. They do no harm, so if the removal fails, the next holder tries
   * again.
   */
  async #removeBefore(place: number): Promise<void> {
    const { manager, stream, subject } = this.#options;
    await manager.streams.purge(stream, { filter: subject, seq: place }).catch(() => undefined);
  }

  /** Retries until it is certain whether the message has been stored. */
  async #publish(message: RecordMessage): Promise<void> {
    const { client, subject } = this.#options;
    const id = randomUUID();
    const before = this.#last;
    const data = encodeRecords({ ...message, id, before });
    const isStored = await this.#retryUntilAnswered(async () => {
      try {
        const { seq } = await client.publish(subject, data, {
          timeout: PUBLISH_TIMEOUT_MS,
          expect: { lastSubjectSequence: before },
        });
        this.#last = seq;
        return true;
      } catch (error) {
        if (!isWrongLast(error)) throw error;
        // Either an earlier attempt stored this message and the response was lost, or another
        // message was stored first.
        const last = await this.#lastMessage();
        if (last?.message.id !== id) return false;
        this.#last = last.place;
        return true;
      }
    });
    if (!isStored) throw new RecordsLostError(`${this.name}: another replica has taken over`);
  }

  async #lastMessage(): Promise<Placed | undefined> {
    const { manager, stream, subject } = this.#options;
    try {
      const found = await manager.streams.getMessage(stream, { last_by_subj: subject });
      return found === null ? undefined : { place: found.seq, message: decodeRecords(found.data) };
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  get #mayNot(): boolean {
    return this.#isClosed || this.#options.isOver();
  }

  /** Retries while no server responds, until this process must no longer write. */
  async #retryUntilAnswered<Result>(ask: () => Promise<Result>): Promise<Result> {
    for (;;) {
      if (this.#mayNot)
        throw new RecordsLostError(`${this.name}: this replica may no longer write`);
      try {
        return await ask();
      } catch (error) {
        const isFinal =
          error instanceof RecordsLostError ||
          error instanceof InvalidArgumentError ||
          error instanceof ClosedConnectionError ||
          error instanceof DrainingConnectionError;
        if (isFinal) throw error;
        await later(AGAIN_AFTER_MS);
      }
    }
  }

  /**
   * Runs one operation at a time. After a failure, all others are rejected, because the stored
   * state is unknown.
   */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(async () => {
      if (this.#failure !== undefined) {
        throw new RecordsLostError(`${this.name} cannot be written`, { cause: this.#failure });
      }
      try {
        return await work();
      } catch (error) {
        this.#failure = error;
        this.#options.onLost(error);
        throw error;
      }
    });
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

/** Stops a reader that receives nothing from the servers, because it must be renewed. */
async function stopWhenLost(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) {
    if (type === 'heartbeats_missed' || type === 'consumer_not_found') messages.stop();
    if (type === 'consumer_deleted' || type === 'stream_not_found') messages.stop();
    if (type === 'no_responders') messages.stop();
  }
}

function isWrongLast(error: unknown): boolean {
  return error instanceof JetStreamApiError && WRONG_LAST.has(error.code);
}

/** Returns at least one piece, so that even an empty list can be written. */
function piecesOf(records: readonly unknown[]): readonly (readonly unknown[])[] {
  const pieces: unknown[][] = [[]];
  let characters = 0;
  for (const record of records) {
    const { length } = JSON.stringify(record);
    const last = pieces.at(-1);
    assert(last !== undefined, 'there is a piece');
    if (last.length > 0 && characters + length > PIECE_CHARACTERS) {
      pieces.push([record]);
      characters = length;
    } else {
      last.push(record);
      characters += length;
    }
  }
  return pieces;
}

type RecordStreamOptions = {
  readonly cluster: string;
  readonly replica: string;
  readonly replicas: number;
  /** Called with the faults if the operator accepts a stream that could lose data. */
  readonly onWeak?: ((faults: readonly string[]) => void) | undefined;
};

/** The parameters of a takeover. Only the holder of the term can write. */
type Taking = {
  readonly term: Pick<Term, 'isOver' | 'number'>;
  /** Called if another holder has taken over; nothing more can be written then. */
  readonly onLost: (error: unknown) => void;
};

const API_TIMEOUT_MS = 3_000;

/** A stream of the records shared by a cluster's replicas; each name is a separate subject. */
export class RecordStream {
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #options: RecordStreamOptions;

  private constructor(
    client: JetStreamClient,
    manager: JetStreamManager,
    options: RecordStreamOptions,
  ) {
    this.#client = client;
    this.#manager = manager;
    this.#options = options;
  }

  /** Creates the stream if it is missing. Throws if its settings could cause a loss of data. */
  static async open(
    connection: NatsConnection,
    options: RecordStreamOptions,
  ): Promise<RecordStream> {
    const manager = await retryUntilAnswered(() =>
      jetstreamManager(connection, { timeout: API_TIMEOUT_MS }),
    );
    const client = jetstream(connection, { timeout: API_TIMEOUT_MS });
    const stream = new RecordStream(client, manager, options);
    await stream.#ensure();
    return stream;
  }

  take(name: string, { onLost, term }: Taking): Promise<SharedRecords> {
    const { cluster, replica } = this.#options;
    return SharedRecords.take({
      client: this.#client,
      manager: this.#manager,
      stream: nameOf(cluster),
      subject: `${subjectsOf(cluster)}.${name}`,
      holder: `${replica}, term ${term.number}`,
      isOver: () => term.isOver(),
      onLost,
    });
  }

  async #ensure(): Promise<void> {
    const { cluster, onWeak, replicas } = this.#options;
    const name = nameOf(cluster);
    const subject = `${subjectsOf(cluster)}.*`;
    const required = {
      ...requiredConfig({ name, subject, replicas }),
      // A rewrite removes the earlier messages.
      deny_purge: false,
    };
    const config = await retryUntilAnswered(async () => {
      try {
        return (await this.#manager.streams.info(name)).config;
      } catch (error) {
        if (!(error instanceof JetStreamApiError) || error.status !== 404) throw error;
        return (await this.#manager.streams.add(required)).config;
      }
    });
    const faults = streamFaults(config, required);
    if (faults.length === 0) return;
    if (onWeak === undefined) throw new WeakStreamError(cluster, faults);
    onWeak(faults);
  }
}

function nameOf(cluster: string): string {
  return `oddlot-${cluster}-records`;
}

function subjectsOf(cluster: string): string {
  return `oddlot.${cluster}.records`;
}

type RecordMessage =
  /** A takeover by a new holder. A set of pieces begun before it and not completed never counts. */
  | { readonly kind: 'takeover'; readonly holder: string }
  /**
   * Records that are added to the earlier ones or, with `anew`, replace all earlier ones. Several
   * pieces count when the last one is stored.
   */
  | {
      readonly kind: 'append' | 'anew';
      readonly isFirst: boolean;
      readonly isLast: boolean;
      readonly records: readonly unknown[];
    };

type Written = RecordMessage & {
  readonly id: string;
  /** The position of the previous message of the subject; 0 if there is none. */
  readonly before: number;
};

type Placed = {
  readonly place: number;
  /** The content is undefined for a damaged message. */
  readonly message: Partial<Pick<Written, 'id'>> & { readonly content?: Written | undefined };
};

/** Encodes a message as a checksum and JSON, like the lines of a file. */
function encodeRecords(written: Written): string {
  const content = JSON.stringify(written);
  return `${chainedCheck('', content)} ${content}`;
}

function decodeRecords(data: Uint8Array): Placed['message'] {
  const text = Buffer.from(data).toString('utf8');
  const at = text.indexOf(' ');
  const content = text.slice(at + 1);
  if (text.slice(0, at) !== chainedCheck('', content)) return {};
  const written = JSON.parse(content) as Written;
  return { id: written.id, content: written };
}

type Folded = {
  readonly records: readonly unknown[];
  /** The number of records and takeovers that must be read. */
  readonly count: number;
  readonly firstOfUse: number;
  /** True if a needed message is missing or was altered. */
  readonly isDamaged: boolean;
};

function foldRecords(messages: readonly Placed[]): Folded {
  let folded: Folded = { records: [], count: 0, firstOfUse: 0, isDamaged: false };
  let records: unknown[] = [];
  let open: { readonly records: unknown[]; readonly place: number; isWhole: boolean } | undefined;
  let lastPlace: number | undefined;
  for (const { message, place } of messages) {
    const { content } = message;
    const isNext =
      content !== undefined && (lastPlace === undefined || content.before === lastPlace);
    const isHole = !isNext || (lastPlace === undefined && content.before !== 0);
    lastPlace = place;
    const startsAnew = content?.kind === 'anew' && content.isFirst;
    const isDamaged = folded.isDamaged || isHole;
    folded = { ...folded, count: folded.count + 1, isDamaged };
    if (open !== undefined && isHole) open.isWhole = false;
    if (content === undefined || content.kind === 'takeover') {
      if (content !== undefined) open = undefined;
      continue;
    }
    if (content.isFirst || open === undefined) {
      open = { records: [], place, isWhole: content.isFirst && (startsAnew || !isHole) };
    }
    open.records.push(...content.records);
    if (!content.isLast) continue;
    if (content.kind === 'append') {
      records.push(...open.records);
      folded = { ...folded, count: folded.count + content.records.length };
    } else if (open.isWhole) {
      records = open.records;
      folded = { ...folded, count: records.length, firstOfUse: open.place, isDamaged: false };
    }
    open = undefined;
  }
  return { ...folded, records };
}

/**
 * Thrown if another holder has taken over the records, or this process may no longer write them.
 */
export class RecordsLostError extends Error {
  override readonly name = 'RecordsLostError';
}
