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

export type RecoverBatch = {
  /** Size decimals that the thread did not know in earlier requests. */
  readonly scales: readonly Scale[];
  readonly jobs: readonly (RecoverJob & { readonly id: number })[];
};

export type RecoverReplies = readonly {
  readonly id: number;
  readonly answer: Recovered | ReadCommand;
}[];

/** An instrument's id and its size decimals, or undefined if the instrument does not exist. */
export type Scale = readonly [instrumentId: number, szDecimals: number | undefined];

/** A request to POST /exchange after a recover thread has read it. */
export type ReadCommand = RefusedRequest | UnderstoodRequest;

/** A request whose envelope and action fit their schemas. */
export type UnderstoodRequest = {
  readonly envelope: Pick<SentEnvelope, 'confirm' | 'nonce'>;
  /** The reason why the text cannot be hashed; `at` is its offset. */
  readonly fault?: string;
  readonly at?: number;
  readonly txHash?: string;
  /** The reason why the signatures do not authorise the action. */
  readonly unauthorized?: WireError;
  /**
   * Undefined if the nonce is outside the accepted window or the signatures do not authorise the
   * action.
   */
  readonly command?: EncodedCommand;
};

export type EncodedCommand = {
  /** The command and its request, encoded as in a block. */
  readonly encoded: Uint8Array;
  /** The size decimals that were used to convert decimal text to integers. */
  readonly scales: readonly Scale[];
  /**
   * The request as the log stores it, present only if whitespace was removed from the received
   * text.
   */
  readonly request?: string;
};

/**
 * Reads requests into commands, encoded as in a block. A recover thread does not have the venue's
 * state, only the size decimals that the main thread has sent. Each answer lists those it used, and
 * the main thread repeats a request if one of them is outdated.
 */
export class CommandReader {
  readonly #recoverer: Recoverer;
  readonly #scales = new Map<number, number>();
  readonly #buffer = new BlockBuffer();

  constructor(recoverer: Recoverer) {
    this.#recoverer = recoverer;
  }

  answer({ jobs, scales }: RecoverBatch): RecoverReplies {
    for (const [id, szDecimals] of scales) {
      if (szDecimals === undefined) this.#scales.delete(id);
      else this.#scales.set(id, szDecimals);
    }
    return jobs.map((job) => ({ id: job.id, answer: this.#answerOne(job) }));
  }

  /** An exception fails only its own request, not the rest of the batch. */
  #answerOne(job: RecoverJob): Recovered | ReadCommand {
    try {
      if (job.kind === 'read') return this.#read(job.text, job.job);
      return job.kind === 'explain'
        ? this.#recoverer.explain(job.text)
        : this.#recoverer.recover(job.text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (job.kind !== 'read') return { fault: message, at: 0 };
      return { refused: jsonRefusal(job.text, { message, at: 0 }, 'action'), isGateway: false };
    }
  }

  #read(text: string, job: ReadJob): ReadCommand {
    const { sent, ...recovered } = this.#recoverer.read(text, job);
    if ('refused' in sent) return sent;
    const { confirm, nonce } = sent.envelope;
    const envelope = confirm === undefined ? { nonce } : { nonce, confirm };
    const { at, fault, txHash } = recovered;
    if (fault !== undefined) return { envelope, fault, at: at ?? 0 };
    if (txHash === undefined) return { envelope };
    if (nonce <= job.nonceAfter) return { envelope, txHash };
    const request = sentRequest(sent);
    const authority = authorityFrom(request, recovered, txHash as Hash);
    if (!('signer' in authority)) return { envelope, txHash, unauthorized: authority };
    const scales = new Map<number, number | undefined>();
    const command = actionToCommand(request.action, authority, (id) => {
      const szDecimals = this.#scales.get(id);
      scales.set(id, szDecimals);
      return szDecimals === undefined ? undefined : { szDecimals };
    });
    return { envelope, txHash, command: this.#encode(command, text, [...scales]) };
  }

  #encode(command: RequestCommand, text: string, scales: readonly Scale[]): EncodedCommand {
    const request = withoutSpace(text);
    this.#buffer.clear();
    this.#buffer.writeBlock([{ command, request }]);
    const encoded = new Uint8Array(this.#buffer.bytes.subarray(0, this.#buffer.length));
    return request === text ? { encoded, scales } : { encoded, scales, request };
  }
}

/** Decodes the command that a recover thread has encoded. */
export function commandIn(encoded: Uint8Array): RequestCommand {
  const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  const { commands } = decodeBlock(bytes, { start: 0, end: bytes.length, withRequests: false });
  return commands[0]!.command as RequestCommand;
}
