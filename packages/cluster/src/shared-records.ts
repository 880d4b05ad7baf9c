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
import { patiently } from './patiently.ts';
import { streamFaults, wantedConfig } from './stream-config.ts';

type SharedRecordsOptions = {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly stream: string;
  readonly subject: string;
  /** Who takes them, for operators. */
  readonly holder: string;
  /** True when another may hold what these records belong to. */
  readonly isOver: () => boolean;
  /** Nothing more can be written here. */
  readonly onLost: (error: unknown) => void;
};

const PUBLISH_TIMEOUT_MS = 2_000;
const AGAIN_AFTER_MS = 100;
/** "wrong last sequence", as servers say it with and without the number. */
const WRONG_LAST: ReadonlySet<number> = new Set([10_071, 10_164]);
/** Records of one message, as text: well below what a server takes. */
const PIECE_CHARACTERS = 256 * 1024;
/** They are written anew when there are so many more than are of use. */
const SPARE_RECORDS = 4_096;
/** What is on its way to here at once. */
const READ_BYTES = 2 * 1024 * 1024;
const READ_HEARTBEAT_MS = 500;
const READ_EXPIRES_MS = 5_000;
const INACTIVE_NS = 30_000_000_000;

/**
 * Records that replicas share: the messages of one subject of a stream, each appended only directly behind the one that its
 * writer knows as the last. Who takes them appends first, and reads then: from there on nobody who had them before can append
 * anything, even if it was frozen and does not know that others went on. That is the fence of whatever must be written down
 * before it is done.
 */
class SharedRecords implements RecordStore {
  readonly #options: SharedRecordsOptions;
  /** The place of the last message, behind which the next one goes. */
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

  /** Takes them over, and reads them as they are then. */
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
    // Who appends next is told that it failed.
    this.#inTurn(() => this.#writeAnew(all)).catch(() => undefined);
  }

  shorten(records: { readonly size: number; values(): Iterable<unknown> }): void {
    const most = Math.max(records.size + SPARE_RECORDS, this.#shortenAt);
    if (this.#count <= most || this.#failure !== undefined) return;
    this.#shortenAt = this.#count + SPARE_RECORDS;
    this.replace(records.values());
  }

  /** The stream has what it has; an operator looks there. */
  setAside(): string {
    return this.name;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Behind whatever is the last message now; somebody who still writes is tried to be outrun until one of both has won. */
  async #takeOver(): Promise<void> {
    for (;;) {
      this.#last = (await this.#patiently(() => this.#lastMessage()))?.place ?? 0;
      try {
        await this.#publish({ kind: 'takeover', holder: this.#options.holder });
        return;
      } catch (error) {
        if (!(error instanceof RecordsLostError) || this.#mayNot) throw error;
      }
    }
  }

  /** Everything up to the message by which they were taken. */
  async #readAll(): Promise<void> {
    const until = this.#last;
    const read = await this.#patiently(() => this.#messagesUntil(until));
    const { count, firstOfUse, isDamaged, records } = foldRecords(read);
    this.#records = records;
    this.#count = count;
    this.#isDamaged = isDamaged;
    const [first] = read;
    // A holder that died before it had removed what it wrote anew.
    if (first !== undefined && first.place < firstOfUse) await this.#removeBefore(firstOfUse);
  }

  async #messagesUntil(until: number): Promise<readonly Placed[]> {
    const { client, stream, subject } = this.#options;
    if (until === 0) return [];
    const read: Placed[] = [];
    const consumer = await client.consumers.get(stream, {
      // As a text: servers before 2.10 take one.
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

  /** What is written anew counts when its last piece is there, and only then what was before goes. */
  async #writeAnew(records: readonly unknown[]): Promise<void> {
    const first = await this.#write('anew', records);
    this.#count = records.length;
    await this.#removeBefore(first);
  }

  /** Of no use to anybody: where it fails, who takes the records next tries again. */
  async #removeBefore(place: number): Promise<void> {
    const { manager, stream, subject } = this.#options;
    await manager.streams.purge(stream, { filter: subject, seq: place }).catch(() => undefined);
  }

  /** Asks until it is known whether the message is there. */
  async #publish(message: RecordMessage): Promise<void> {
    const { client, subject } = this.#options;
    const id = randomUUID();
    const before = this.#last;
    const data = encodeRecords({ ...message, id, before });
    const isStored = await this.#patiently(async () => {
      try {
        const { seq } = await client.publish(subject, data, {
          timeout: PUBLISH_TIMEOUT_MS,
          expect: { lastSubjectSequence: before },
        });
        this.#last = seq;
        return true;
      } catch (error) {
        if (!isWrongLast(error)) throw error;
        // Stored by an attempt whose answer got lost, or somebody else's is there.
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

  /** For as long as nobody can answer and this process may ask. */
  async #patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
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

  /** One after the other, and nothing after one that failed: nobody knows then what is there. */
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

/** Who hears nothing of the servers any more has to ask anew. */
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

/** At least one, so that nothing at all can be written anew. */
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
  /** An operator takes a stream that could lose something for what it is, and is told what. */
  readonly onWeak?: ((faults: readonly string[]) => void) | undefined;
};

/** What a term of a lease takes over: who has it can write, and nobody else. */
type Taking = {
  readonly term: Pick<Term, 'isOver' | 'number'>;
  /** Nothing more can be written: somebody else has taken it over. */
  readonly onLost: (error: unknown) => void;
};

const API_TIMEOUT_MS = 3_000;

/** The stream of the records that replicas of a cluster share; each name is a subject of its own. */
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

  /** Makes the stream where there is none. Throws where its settings could lose something. */
  static async open(
    connection: NatsConnection,
    options: RecordStreamOptions,
  ): Promise<RecordStream> {
    const manager = await patiently(() =>
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
    const wanted = {
      ...wantedConfig({ name, subject, replicas }),
      // What was written anew takes the place of what was there.
      deny_purge: false,
    };
    const config = await patiently(async () => {
      try {
        return (await this.#manager.streams.info(name)).config;
      } catch (error) {
        if (!(error instanceof JetStreamApiError) || error.status !== 404) throw error;
        return (await this.#manager.streams.add(wanted)).config;
      }
    });
    const faults = streamFaults(config, wanted);
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

/** One message of shared records. */
type RecordMessage =
  /** Somebody has taken them over: what was begun before and not ended never counts. */
  | { readonly kind: 'takeover'; readonly holder: string }
  /** Records behind those before; or, of `anew`, in the place of all before. What has several pieces counts with the last. */
  | {
      readonly kind: 'append' | 'anew';
      readonly isFirst: boolean;
      readonly isLast: boolean;
      readonly records: readonly unknown[];
    };

type Written = RecordMessage & {
  /** By which its writer knows it again. */
  readonly id: string;
  /** The place of the message of the same subject before it; 0 for none. */
  readonly before: number;
};

type Placed = {
  readonly place: number;
  /** Undefined in the place of what is damaged. */
  readonly message: Partial<Pick<Written, 'id'>> & { readonly said?: Written | undefined };
};

/** A check and JSON, like the lines of a file. */
function encodeRecords(written: Written): string {
  const said = JSON.stringify(written);
  return `${chainedCheck('', said)} ${said}`;
}

function decodeRecords(data: Uint8Array): Placed['message'] {
  const text = Buffer.from(data).toString('utf8');
  const at = text.indexOf(' ');
  const said = text.slice(at + 1);
  if (text.slice(0, at) !== chainedCheck('', said)) return {};
  const written = JSON.parse(said) as Written;
  return { id: written.id, said: written };
}

type Folded = {
  readonly records: readonly unknown[];
  /** Records and takeovers that have to be read to know them. */
  readonly count: number;
  /** Nothing before this place is needed. */
  readonly firstOfUse: number;
  /** A message of use is missing or is not as it was written. */
  readonly isDamaged: boolean;
};

/** What messages of a subject say together, in their order. */
function foldRecords(messages: readonly Placed[]): Folded {
  let folded: Folded = { records: [], count: 0, firstOfUse: 0, isDamaged: false };
  let records: unknown[] = [];
  /** What was begun and is not ended. */
  let open: { readonly records: unknown[]; readonly place: number; isWhole: boolean } | undefined;
  let lastPlace: number | undefined;
  for (const { message, place } of messages) {
    const { said } = message;
    const isNext = said !== undefined && (lastPlace === undefined || said.before === lastPlace);
    const isHole = !isNext || (lastPlace === undefined && said.before !== 0);
    lastPlace = place;
    const startsAnew = said?.kind === 'anew' && said.isFirst;
    const isDamaged = folded.isDamaged || isHole;
    folded = { ...folded, count: folded.count + 1, isDamaged };
    if (open !== undefined && isHole) open.isWhole = false;
    if (said === undefined || said.kind === 'takeover') {
      if (said !== undefined) open = undefined;
      continue;
    }
    if (said.isFirst || open === undefined) {
      open = { records: [], place, isWhole: said.isFirst && (startsAnew || !isHole) };
    }
    open.records.push(...said.records);
    if (!said.isLast) continue;
    if (said.kind === 'append') {
      records.push(...open.records);
      folded = { ...folded, count: folded.count + said.records.length };
    } else if (open.isWhole) {
      records = open.records;
      folded = { ...folded, count: records.length, firstOfUse: open.place, isDamaged: false };
    }
    open = undefined;
  }
  return { ...folded, records };
}

/** Somebody else has taken the records over, or this process may not write them any more. */
export class RecordsLostError extends Error {
  override readonly name = 'RecordsLostError';
}
