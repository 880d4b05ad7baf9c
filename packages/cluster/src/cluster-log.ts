import { randomUUID } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import { assert, present } from '@oddlot/units';
import type { LogEntry, LoggedCommand } from '@oddlot/replica/block';
import { BlockBuffer } from '@oddlot/replica/log/block-codec';
import type {
  FollowOptions,
  Log,
  ReplayOptions,
  Retention,
  TakeEntry,
} from '@oddlot/replica/log/log';
import { agreeOnStream, replacedBy } from './agree-on-stream.ts';
import { beginningOf, confirmedLoss } from './stream-facts.ts';
import {
  commandsOf,
  decodeBlockMessage,
  encodeBlockMessage,
  placeOf,
  seqOf,
  type StreamOpening,
} from './block-message.ts';
import { CopyQueue, type SentBlock, sendBlock, sizeFault } from './send-block.ts';
import { Dispute } from './dispute.ts';
import type { Following, StreamMessage } from './following.ts';
import { type FollowedStream, higherOf, type KnownBlock } from './followed-stream.ts';
import { retryUntilAnswered } from './retry-until-answered.ts';
import { hasEarlier, parseProposal, type ProposalOrder } from '@oddlot/replica/proposal-order';
import { type BlockRange, ReadHistory } from './read-history.ts';
import { StateAge } from './state-age.ts';
import {
  NotNextError,
  StreamLostError,
  StreamReplacedError,
  StreamUnfinishedError,
} from './stream-error.ts';
import type { FileJournal } from '@oddlot/replica/log/file-journal';
import type { BlockStream } from './block-stream.ts';

const IN_FLIGHT_MAX = 8;
const LOOK_EVERY_MS = 1_000;
const REJOIN_EVERY_MS = 1_000;
/** The reader is renewed after this many consecutive queries that show unread messages. */
const LOOKS_STALLED_MAX = 3;
/**
 * The venue stops accepting new requests after this many milliseconds without a response from the
 * stream's leader.
 */
const SILENT_MS = 2_000;
const NOTHING = Buffer.alloc(0);

/**
 * The log of a venue on several machines: a replicated stream that orders the blocks of all
 * replicas, and a copy of it in the files of this replica. A block is applied and acknowledged when
 * it has been read back from the stream and synced here, so an acknowledged order is stored on a
 * quorum of servers and on a disk that this program has written itself. On startup, a replica reads
 * its own files and then the rest of the stream.
 */
export class ClusterLog implements Log {
  readonly #options: ClusterLogOptions;
  readonly #buffer = new BlockBuffer();
  readonly #sent = new Map<string, SentBlock>();
  readonly #uncopied: CopyQueue;
  #opening: StreamOpening | undefined;
  /**
   * The state of the proposers in the blocks that were read, which is ahead of the applied blocks.
   */
  #ahead: ProposalOrder;
  #readTimeMs = 0;
  #history: ReadHistory | undefined;
  readonly #dispute = new Dispute();
  #following: Following | undefined;
  #free: (() => void) | undefined;
  #lost: StreamLostError | undefined;
  readonly age: StateAge;
  #looking: NodeJS.Timeout | undefined;
  #isConfirming = false;
  #looksStalled = 0;
  #isClosed = false;

  constructor(options: ClusterLogOptions) {
    this.#options = options;
    this.#ahead = options.order.copy();
    this.#uncopied = new CopyQueue(options.copy, (error) => {
      if (!this.#isClosed) options.onFatal(error);
    });
    this.age = new StateAge({
      end: async () => this.#seqOf((await options.stream.end()).lastPlace),
      reach: (seq) => this.#reach(seq),
    });
  }

  get firstSeq(): number {
    return this.#options.copy.firstSeq;
  }

  get lastSeq(): number {
    return this.#options.copy.lastSeq;
  }

  get isWriting(): boolean {
    return this.#sent.size >= IN_FLIGHT_MAX;
  }

  onFree(listener: () => void): void {
    assert(this.#free === undefined, 'a log has only one proposer per process');
    this.#free = listener;
  }

  /**
   * The first block of the local files that the stream has replaced with another one; undefined if
   * there is none.
   */
  get replaced(): Pick<StreamReplacedError, 'era' | 'from'> | undefined {
    return this.#lost instanceof StreamReplacedError ? this.#lost : undefined;
  }

  /** The blocks in the stream that differ from those a replica had read at the same positions. */
  get disputed(): Dispute['found'] {
    return this.#lost === undefined ? undefined : this.#dispute.found;
  }

  /** Returns why blocks cannot be written, or undefined if they can. */
  trouble(): LogTrouble | undefined {
    if (this.#lost !== undefined) return { kind: 'lost', error: this.#lost };
    // A server that has lost the others still reports the end of the stream, so the oldest
    // unconfirmed block is also considered.
    const [oldest] = this.#sent.values();
    const lastAnswerMs = Math.min(this.age.lastAnswerMs, oldest?.sinceMs ?? Infinity);
    const sinceMs = performance.now() - lastAnswerMs;
    return sinceMs > SILENT_MS ? { kind: 'silent', sinceMs } : undefined;
  }

  beginning(): Promise<LogEntry | undefined> {
    return beginningOf(this.#options.stream);
  }

  replay(fromSeq: number, apply: TakeEntry, options?: ReplayOptions): Promise<void> {
    return this.#options.copy.replay(fromSeq, apply, options);
  }

  /**
   * Passes on the blocks of the local files, then the rest of the stream, and then later blocks as
   * they arrive.
   */
  async follow(
    fromSeq: number,
    apply: (entry: LogEntry) => void,
    options: FollowOptions = {},
  ): Promise<void> {
    await this.#options.copy.follow(fromSeq, apply, options);
    await this.#join();
    if (this.#lost === undefined) {
      const { lastPlace } = await retryUntilAnswered(() => this.#options.stream.end());
      await this.#reach(this.#seqOf(lastPlace));
    }
    // Blocks that were read before the loss are copied and applied.
    while (this.#lost !== undefined && !this.#uncopied.isEmpty && !this.#isClosed) await later(5);
    // The replica has no blocks to serve, or fewer than the remaining stream, and must not start a
    // different log in its place.
    const isBehind = this.#lost !== undefined && this.lastSeq < this.#lost.from - 1;
    if (this.#lost !== undefined && (this.lastSeq === 0 || isBehind)) throw this.#lost;
  }

  /** Starts to read the stream after the local blocks, if the stream contains all of them. */
  async #join(): Promise<void> {
    const { clock, copy, followed, onFatal, order, serviceNetwork, stream } = this.#options;
    const parties = { stream, copy, serviceNetwork, nowMs: clock.nowMs() };
    const known = (era: string | undefined): KnownBlock | undefined => this.#known(era);
    try {
      this.#opening = await agreeOnStream({ ...parties, followed: followed?.record, known });
      this.#history = await this.#readSoFar(this.#opening);
    } catch (error) {
      if (!(error instanceof StreamLostError)) throw error;
      this.#lose(error);
      return;
    }
    if (this.#isClosed) return;
    followed?.follow(this.#opening.era);
    this.#lost = undefined;
    this.#ahead = order.copy();
    this.#readTimeMs = copy.lastTimeMs;
    this.#following = stream.follow(this.#placeOf(copy.lastSeq + 1), {
      take: (message) => this.#take(message),
      onReplaced: (place) => this.#onDisputed({ from: this.#seqOf(place), to: this.#seqOf(place) }),
      onFatal: (error) => onFatal(error),
    });
    this.#looking ??= setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  /**
   * Returns the blocks read so far. Throws if replicas have read different blocks from this stream.
   */
  async #readSoFar(opening: StreamOpening): Promise<ReadHistory> {
    const { copy, readsAsItIs, stream } = this.#options;
    if (readsAsItIs !== true) {
      this.#dispute.adopt(opening, this.#known(opening.era)?.disputed);
      this.#dispute.assertUnknown(opening);
    }
    const history = await ReadHistory.of(copy, opening);
    if (readsAsItIs !== true) await this.#dispute.settle({ stream, copy, opening, history });
    return history;
  }

  append(commands: readonly LoggedCommand[], proposal = `${randomUUID()}:1`): Promise<LogEntry> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error('the log is closed'));
      if (this.#lost !== undefined) return reject(this.#lost);
      const sent = this.#sentBlockOf(commands, proposal, { resolve, reject });
      if (sent === undefined) return undefined;
      this.#sent.set(proposal, sent);
      return void this.#send(sent);
    });
  }

  async appendBehind(seq: number, commands: readonly LoggedCommand[]): Promise<boolean> {
    const { stream } = this.#options;
    const proposal = `${randomUUID()}:1`;
    this.#buffer.writeBlock(commands, proposal);
    const message = { data: this.#takeMessage(), readPosition: this.#history?.readPosition };
    const isNext = await retryUntilAnswered(() =>
      stream.publishBehind(this.#placeOf(seq), proposal, message),
    ).then(
      () => true,
      (error: unknown) => {
        if (error instanceof NotNextError) return false;
        throw error;
      },
    );
    await this.#reach(seq + 1);
    return isNext;
  }

  async reach(seq: number): Promise<void> {
    if (this.lastSeq >= seq) return;
    if (this.#lost !== undefined) throw this.#lost;
    const asked = { to: seq, source: 'the history has' };
    const lost = await confirmedLoss(this.#options.stream, this.#opened, asked);
    if (lost === undefined && (await this.#reach(seq))) return;
    throw this.#lost ?? lost ?? new Error('the log is closed');
  }

  compact(retention: Retention): Promise<void> {
    return this.#options.copy.compact(retention);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#looking);
    await this.#following?.stop();
    for (const sent of this.#sent.values()) sent.reject(new Error('the log is closed'));
    this.#sent.clear();
    await this.#options.copy.close();
    await this.#options.followed?.close();
    await this.#options.stream.close();
  }

  #sentBlockOf(
    commands: readonly LoggedCommand[],
    proposal: string,
    { reject, resolve }: Pick<SentBlock, 'reject' | 'resolve'>,
  ): SentBlock | undefined {
    try {
      this.#buffer.writeBlock(commands, proposal);
    } catch (error) {
      reject(error);
      return undefined;
    }
    const data = this.#takeMessage();
    const fault = sizeFault(data.length, this.#options.stream.messageBytesMax);
    if (fault !== undefined) {
      reject(fault);
      return undefined;
    }
    const sinceMs = performance.now();
    return { commands, proposal, sinceMs, data, attempt: 0, isEarly: false, resolve, reject };
  }

  #takeMessage(): Buffer {
    const { bytes, length } = this.#buffer;
    const data = encodeBlockMessage(this.#options.clock.nowMs(), bytes.subarray(0, length));
    this.#buffer.clear();
    return data;
  }

  /**
   * Resends a block until it has been read from the stream, the only proof that the stream contains
   * it.
   */
  async #send(sent: SentBlock): Promise<void> {
    const { attempt, proposal } = sent;
    const isUnread = await sendBlock(sent, {
      stream: this.#options.stream,
      readPosition: () => this.#history?.readPosition,
      isAwaited: () =>
        !this.#isClosed && this.#sent.get(proposal) === sent && sent.attempt === attempt,
      onConfirmed: () => this.age.recordAnswer(),
    });
    if (!isUnread) return;
    sent.attempt += 1;
    void this.#send(sent);
  }

  #take({ data, place, readPosition }: StreamMessage): Promise<void> | undefined {
    this.age.recordAnswer();
    // Nothing is accepted after a block that differs from what its proposer assumed.
    if (this.#lost !== undefined) return undefined;
    const history = present(this.#history, 'a stream that was joined');
    const seq = this.#seqOf(place);
    const disputed = history.contradicted(readPosition, seq);
    if (disputed !== undefined && this.#options.readsAsItIs !== true)
      return void this.#onDisputed(disputed);
    const { encoded, proposal, timeMs: givenMs } = decodeBlockMessage(data);
    const timeMs = Math.max(this.#readTimeMs, givenMs);
    this.#readTimeMs = timeMs;
    const sent = this.#sent.get(proposal);
    const verdict = this.#ahead.take(proposal, timeMs);
    // Blocks that were written from a folder have already counted there. A replica that begins
    // after a snapshot has not read their predecessors, so it cannot check their order.
    const counts = verdict === 'next' || seq <= (this.#opening?.lastSeq ?? 0);
    if (!counts) {
      if (verdict === 'early' && sent !== undefined) this.#onEarly(sent);
      const block = { seq, timeMs, commands: [], encoded: NOTHING };
      history.add(block);
      return this.#uncopied.add({ block, sent: undefined });
    }
    this.#sent.delete(proposal);
    this.#sendEarly(proposal);
    const commands = sent?.commands ?? commandsOf(encoded);
    const block = { seq, timeMs, commands, proposal, encoded };
    history.add(block);
    const waiting = this.#uncopied.add({ block, sent });
    this.#free?.();
    return waiting;
  }

  /**
   * Handles a block that was read out of turn. If none of its predecessors is in flight, the log
   * has forgotten this proposer, so the proposer must start again from its first block.
   */
  #onEarly(sent: SentBlock): void {
    sent.isEarly = true;
    if (hasEarlier(this.#sent.keys(), sent.proposal)) return;
    this.#sent.delete(sent.proposal);
    sent.reject(
      new Error(`block ${sent.proposal} arrived out of order, but no block is ahead of it`),
    );
  }

  /** Resends a block that was read out of turn, after its predecessor has been accepted. */
  #sendEarly(proposal: string): void {
    const { name, number } = parseProposal(proposal);
    const next = this.#sent.get(`${name}:${number + 1}`);
    if (next?.isEarly !== true) return;
    next.isEarly = false;
    next.attempt += 1;
    void this.#send(next);
  }

  /** Returns the highest known block, from current reports of replicas and from remembered ones. */
  #known(era: string | undefined): KnownBlock | undefined {
    const { followed, known } = this.#options;
    return higherOf(known?.(era), followed?.knownIn(era));
  }

  /**
   * Queries the leader for the end of the stream, to find out whether the stream exists and
   * contains all blocks read so far.
   */
  async #look(): Promise<void> {
    // This is determined before the query, because more blocks may be written and read while the
    // query runs.
    const readPlace = (this.#following?.nextPlace ?? 1) - 1;
    const opening = this.#opening;
    try {
      const known = this.#known(opening?.era);
      this.#options.followed?.note(known);
      const askedMs = performance.now();
      const { lastPlace } = await this.#options.stream.end();
      if (this.#following === undefined) return this.age.recordAnswer();
      // The stream was rewritten in the meantime, so its end does not apply to this era.
      if (this.#opening !== opening) return;
      const lastSeq = this.#seqOf(lastPlace);
      void this.age.recordEnd(lastSeq, askedMs);
      this.#renewWhenStalled(this.#following, readPlace, lastPlace);
      const { replacedFrom } = known ?? {};
      if (known && replacedFrom !== undefined) return this.#lose(replacedBy(known, replacedFrom));
      const readSeq = this.#seqOf(readPlace);
      // A replica that has not read as far detects the dispute itself when it reaches these blocks.
      if (known?.disputed !== undefined && known.disputed.to <= readSeq)
        return this.#onDisputed(known.disputed);
      const to = Math.max(readSeq, known?.height ?? 0);
      if (lastSeq < to) void this.#confirmLoss(to, readSeq < to ? known?.replica : undefined);
    } catch {
      // If no server responds, `trouble` reports it.
    }
  }

  /**
   * Confirms that blocks up to `to` are missing from the stream, although this replica or another
   * one has read them from it.
   */
  async #confirmLoss(to: number, by: string | undefined): Promise<void> {
    const opening = this.#opening;
    if (this.#isConfirming || opening === undefined) return;
    this.#isConfirming = true;
    const lost = await confirmedLoss(this.#options.stream, opening, { to, by }).catch(
      () => undefined,
    );
    this.#isConfirming = false;
    const isSame = this.#opening === opening && this.#lost === undefined && !this.#isClosed;
    if (isSame && lost !== undefined) this.#lose(lost);
  }

  /**
   * Renews a reader that receives nothing although the stream has more messages, unless it waits
   * for the local disk.
   */
  #renewWhenStalled(following: Following, readPlace: number, lastPlace: number): void {
    const isStalled =
      lastPlace > readPlace && following.nextPlace - 1 === readPlace && !this.#uncopied.isFull;
    this.#looksStalled = isStalled ? this.#looksStalled + 1 : 0;
    if (this.#looksStalled < LOOKS_STALLED_MAX) return;
    this.#looksStalled = 0;
    following.renew();
  }

  #onDisputed(blocks: BlockRange): void {
    if (this.#lost === undefined) this.#lose(this.#dispute.notice(this.#opened, blocks));
  }

  #lose(error: StreamLostError): void {
    const isKnown = this.#lost !== undefined;
    this.#lost = error;
    if (isKnown) return;
    for (const sent of this.#sent.values()) sent.reject(error);
    this.#sent.clear();
    this.#options.onLost(error);
    void this.#rejoin();
  }

  /**
   * Retries until an operator has restored the stream. In the meantime, blocks that were read
   * before the loss are copied and applied.
   */
  async #rejoin(): Promise<void> {
    await this.#following?.stop();
    this.#following = undefined;
    while (this.#lost !== undefined) {
      await later(REJOIN_EVERY_MS);
      if (this.#isClosed) return;
      if (!this.#uncopied.isEmpty) continue;
      try {
        await this.#join();
      } catch (error) {
        if (error instanceof StreamUnfinishedError) continue;
        if (!this.#isClosed) this.#options.onFatal(error);
        return;
      }
    }
  }

  /**
   * Resolves with true when a block is applied here, or with false if this is no longer possible.
   */
  async #reach(seq: number): Promise<boolean> {
    while (this.lastSeq < seq && this.#lost === undefined && !this.#isClosed) await later(5);
    return this.lastSeq >= seq;
  }

  get #opened(): StreamOpening {
    return present(this.#opening, 'a stream that was opened');
  }

  #seqOf(place: number): number {
    return seqOf(this.#opened, place);
  }

  #placeOf(seq: number): number {
    return placeOf(this.#opened, seq);
  }
}

export type ClusterLogOptions = {
  readonly stream: BlockStream;
  readonly copy: FileJournal;
  readonly order: ProposalOrder;
  readonly clock: { nowMs(): number };
  readonly serviceNetwork: string;
  /** The stream that these files follow; undefined for a copy that is not continued. */
  readonly followed?: FollowedStream;
  /** Returns the highest block reported by any replica while it was following this stream. */
  readonly known?: (era: string | undefined) => KnownBlock | undefined;
  /**
   * Accepts the stream although other replicas have read different blocks, for an operator who
   * copies it.
   */
  readonly readsAsItIs?: boolean;
  /** Called if reading cannot continue; the process must end. */
  readonly onFatal: (error: unknown) => void;
  readonly onLost: (error: StreamLostError) => void;
};

export type LogTrouble =
  | { readonly kind: 'silent'; readonly sinceMs: number }
  | { readonly kind: 'lost'; readonly error: StreamLostError };
