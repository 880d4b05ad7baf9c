import { jsonRefusal, type WireError } from '@oddlot/protocol';
import type { RequestCommand } from '@oddlot/replica/block';
import { BlockBuffer, decodeBlock } from '@oddlot/replica/log/block-codec';
import { actionToCommand } from '@oddlot/translate/action-to-command';
import type { Hash } from '@oddlot/units';
import {
  type ReadJob,
  type RefusedRequest,
  type SentEnvelope,
  sentRequest,
  withoutSpace,
} from './read-request.ts';
import { authorityFrom, type Recovered, type Recoverer } from './recoverer.ts';

export type RecoverJob =
  | { readonly kind: 'explain' | 'recover'; readonly text: string }
  | { readonly kind: 'read'; readonly text: string; readonly job: ReadJob };

const KINDS: readonly RecoverJob['kind'][] = ['explain', 'recover', 'read'];
const JOB_PARTS = 5;
/**
 * Marks an unknown instrument. Valid size decimals can be negative (R-units), so the mark is far
 * below them.
 */
const NO_DECIMALS = -100;

const IS_LARGE = 1;
const TAKES_HYPERLIQUID = 2;

const NO_JOB: ReadJob = { isLarge: false, nonceAfter: 0, nonceBefore: 0 };

/** Appends a job to a flat list: its kind, its flags, the bounds of its nonce, and its text. */
export function packJob(jobs: (string | number)[], asked: RecoverJob): void {
  const { isLarge, nonceAfter, nonceBefore, takesHyperliquid } =
    asked.kind === 'read' ? asked.job : NO_JOB;
  const flags = (isLarge ? IS_LARGE : 0) | (takesHyperliquid === true ? TAKES_HYPERLIQUID : 0);
  jobs.push(KINDS.indexOf(asked.kind), flags, nonceAfter, nonceBefore, asked.text);
}

function jobAt(jobs: RecoverBatch['jobs'], at: number): RecoverJob {
  const kind = KINDS[jobs[at] as number]!;
  const text = jobs[at + 4] as string;
  if (kind !== 'read') return { kind, text };
  const flags = jobs[at + 1] as number;
  const job: ReadJob = {
    isLarge: (flags & IS_LARGE) !== 0,
    nonceAfter: jobs[at + 2] as number,
    nonceBefore: jobs[at + 3] as number,
    ...((flags & TAKES_HYPERLIQUID) === 0 ? {} : { takesHyperliquid: true }),
  };
  return { kind, text, job };
}

export type RecoverBatch = {
  /** The size decimals that earlier requests needed and the thread did not have. */
  readonly scales: readonly Scale[];
  /** The jobs as a flat list, which is cheap to pass between threads; see `packJob`. */
  readonly jobs: readonly (string | number)[];
};

/**
 * The replies to a batch, in the order of its jobs. Each is an object, or a flat list of values for
 * a command; see `CommandReader`.
 */
export type RecoverReplies = {
  readonly parts: readonly (Recovered | ReadCommand | string | number)[];
  /** All encoded commands, concatenated so that each batch passes a single buffer. */
  readonly encoded: Uint8Array<ArrayBuffer>;
};

/** An instrument's id and its size decimals, or undefined if the instrument does not exist. */
export type Scale = readonly [instrumentId: number, szDecimals: number | undefined];

/** A request to POST /exchange as read by a recover thread. */
export type ReadCommand = RefusedRequest | UnderstoodRequest;

/** A request whose envelope and action conform to their schemas. */
export type UnderstoodRequest = {
  readonly envelope: Pick<SentEnvelope, 'confirm' | 'nonce'>;
  /** Why the text cannot be hashed; `at` is its offset. */
  readonly fault?: string;
  readonly at?: number;
  readonly txHash?: string;
  /** Why the signatures do not authorise the action. */
  readonly unauthorized?: WireError;
  /**
   * Undefined if the nonce is outside the accepted window or the signatures do not authorise the
   * action.
   */
  readonly command?: EncodedCommand;
};

export type EncodedCommand = {
  /** The command and its request, encoded as in a block. */
  readonly encoded: Buffer;
  /** The size decimals used to convert decimal text to integers. */
  readonly scales: readonly Scale[];
  /**
   * The request as the log stores it, present only if whitespace was removed from the received
   * text.
   */
  readonly request?: string;
};

/**
 * Reads requests into commands, encoded as in a block. A recover thread does not have the venue's
 * state, only the size decimals sent by the main thread. Each reply lists the size decimals used,
 * and if one of them is outdated, the main thread has the request read again.
 *
 * A reply with a command is a list of these parts: the nonce, 1 if the client waits for the
 * execution, the transaction hash, the number of encoded bytes, the request without whitespace or
 * an empty string, the number of scales, and each scale.
 */
export class CommandReader {
  readonly #recoverer: Recoverer;
  readonly #scales = new Map<number, number>();
  readonly #buffer = new BlockBuffer();
  #parts: (Recovered | ReadCommand | string | number)[] = [];

  constructor(recoverer: Recoverer) {
    this.#recoverer = recoverer;
  }

  answer({ jobs, scales }: RecoverBatch): RecoverReplies {
    for (const [id, szDecimals] of scales) {
      if (szDecimals === undefined) this.#scales.delete(id);
      else this.#scales.set(id, szDecimals);
    }
    const parts = (this.#parts = []);
    this.#buffer.clear();
    for (let at = 0; at < jobs.length; at += JOB_PARTS) this.#answerOne(jobAt(jobs, at));
    const encoded = new Uint8Array(this.#buffer.bytes.subarray(0, this.#buffer.length));
    return { parts, encoded };
  }

  /** An exception fails only the request that caused it, not the rest of the batch. */
  #answerOne(job: RecoverJob): void {
    const { kind, text } = job;
    try {
      if (kind === 'read') this.#read(text, job.job);
      else if (kind === 'explain') this.#parts.push(this.#recoverer.explain(text));
      else this.#parts.push(this.#recoverer.recover(text));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const fault = { message, at: 0 };
      if (kind !== 'read') this.#parts.push({ fault: message, at: 0 });
      else this.#parts.push({ refused: jsonRefusal(text, fault, 'action'), isGateway: false });
    }
  }

  #read(text: string, job: ReadJob): void {
    const { sent, ...recovered } = this.#recoverer.read(text, job);
    if ('refused' in sent) return void this.#parts.push(sent);
    const { confirm, nonce } = sent.envelope;
    const envelope = envelopeOf(nonce, confirm !== undefined);
    const { at, fault, txHash } = recovered;
    if (fault !== undefined) return void this.#parts.push({ envelope, fault, at: at ?? 0 });
    if (txHash === undefined) return void this.#parts.push({ envelope });
    if (nonce <= job.nonceAfter) return void this.#parts.push({ envelope, txHash });
    const request = sentRequest(sent);
    const authority = authorityFrom(request, recovered, txHash as Hash);
    if (!('signer' in authority)) {
      return void this.#parts.push({ envelope, txHash, unauthorized: authority });
    }
    const scales = new Map<number, number | undefined>();
    const command = actionToCommand(request.action, authority, (id) => {
      const szDecimals = this.#scales.get(id);
      scales.set(id, szDecimals);
      return szDecimals === undefined ? undefined : { szDecimals };
    });
    const logged = withoutSpace(text);
    const start = this.#buffer.length;
    this.#buffer.writeBlock([{ command, request: logged }]);
    const bytes = this.#buffer.length - start;
    const shortened = logged === text ? '' : logged;
    this.#parts.push(nonce, confirm === undefined ? 0 : 1, txHash, bytes, shortened, scales.size);
    for (const [id, szDecimals] of scales) this.#parts.push(id, szDecimals ?? NO_DECIMALS);
  }
}

function envelopeOf(nonce: number, isConfirmed: boolean): UnderstoodRequest['envelope'] {
  return isConfirmed ? { nonce, confirm: 'executed' } : { nonce };
}

/** Unpacks the replies packed by a `CommandReader`. */
export function unpackReplies({ encoded, parts }: RecoverReplies): (Recovered | ReadCommand)[] {
  const answers: (Recovered | ReadCommand)[] = [];
  let start = encoded.byteOffset;
  for (let at = 0; at < parts.length;) {
    const part = parts[at] as Recovered | ReadCommand | number;
    if (typeof part === 'object') {
      answers.push(part);
      at += 1;
      continue;
    }
    const [isConfirmed, txHash, bytes, request, scaleCount] = parts.slice(at + 1, at + 6) as [
      number,
      string,
      number,
      string,
      number,
    ];
    at += 6;
    const scales: Scale[] = [];
    for (const end = at + 2 * scaleCount; at < end; at += 2) {
      const szDecimals = parts[at + 1] as number;
      scales.push([parts[at] as number, szDecimals === NO_DECIMALS ? undefined : szDecimals]);
    }
    const bytesOf = Buffer.from(encoded.buffer, start, bytes);
    start += bytes;
    const command: EncodedCommand =
      request === '' ? { encoded: bytesOf, scales } : { encoded: bytesOf, scales, request };
    answers.push({ envelope: envelopeOf(part, isConfirmed === 1), txHash, command });
  }
  return answers;
}

/** Reads requests as a recover thread does, but on the caller's thread. */
export class LocalReader {
  readonly #reader: CommandReader;
  #scales: Scale[] = [];

  constructor(recoverer: Recoverer) {
    this.#reader = new CommandReader(recoverer);
  }

  learn(scales: readonly Scale[]): void {
    this.#scales.push(...scales);
  }

  read(text: string, job: ReadJob): ReadCommand {
    const jobs: (string | number)[] = [];
    packJob(jobs, { kind: 'read', text, job });
    const [answer] = unpackReplies(this.#reader.answer({ scales: this.#scales, jobs }));
    this.#scales = [];
    return answer as ReadCommand;
  }
}

/** Decodes a command encoded by a recover thread. */
export function commandIn(encoded: Buffer): RequestCommand {
  const range = { start: 0, end: encoded.length, withRequests: false };
  return decodeBlock(encoded, range).commands[0]!.command as RequestCommand;
}
