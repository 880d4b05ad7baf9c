import type { Explanation } from '@oddlot/protocol';
import type { ReadJob } from './read-request.ts';
import type { ReadAndRecovered, Recovered, Recoverer } from './recoverer.ts';

/** What the main thread and the recover threads tell each other: flat lists, which are cheap to copy. */

/** Recover the signer of a request, explain its signature, or read it first. */
export const RECOVER = 0;
export const EXPLAIN = 1;
export const READ = 2;
/** Of a body that only few may send. */
export const READ_LARGE = 3;

/** Id, kind, text, and the bounds of nonces that may be taken; repeated. */
export type RecoverBatch = (number | string)[];

export type RecoverJob = {
  readonly kind: number;
  readonly text: string;
  readonly nonceAfter: number;
  readonly nonceBefore: number;
};

const JOB_PARTS = 5;

export function pushJob(batch: RecoverBatch, id: number, job: RecoverJob): void {
  batch.push(id, job.kind, job.text, job.nonceAfter, job.nonceBefore);
}

/**
 * Id, signers, txHash, fault, position, and what was read or explained; repeated. Empty text means none. The
 * signers of a multiSig wrapper stand in one text behind its sender's, so that no other request has
 * to carry a place for them.
 */
export type RecoverReplies = (number | string | Explanation | ReadAndRecovered['sent'])[];

export const REPLY_PARTS = 6;

/** Between the signers of a wrapper. */
const SIGNERS_SEPARATOR = ',';

/** Works a batch off. */
export function answerBatch(recoverer: Recoverer, batch: RecoverBatch): RecoverReplies {
  const replies: RecoverReplies = [];
  for (let at = 0; at < batch.length; at += JOB_PARTS) {
    const kind = batch[at + 1] as number;
    const text = batch[at + 2] as string;
    const job: ReadJob = {
      isLarge: kind === READ_LARGE,
      nonceAfter: batch[at + 3] as number,
      nonceBefore: batch[at + 4] as number,
    };
    const answer = answerOne(recoverer, kind, text, job);
    const { signer = '', innerSigners, txHash = '', fault = '', at: position = 0 } = answer;
    const signers =
      innerSigners === undefined ? signer : [signer, ...innerSigners].join(SIGNERS_SEPARATOR);
    const told = 'sent' in answer ? answer.sent : (answer.explanation ?? '');
    replies.push(batch[at] as number, signers, txHash, fault, position, told);
  }
  return replies;
}

/** A text that breaks the hashing is refused alone: the others of its batch are not its fault. */
function answerOne(
  recoverer: Recoverer,
  kind: number,
  text: string,
  job: ReadJob,
): Recovered | ReadAndRecovered {
  try {
    if (kind === READ || kind === READ_LARGE) return recoverer.read(text, job);
    if (kind === EXPLAIN) return recoverer.explain(text);
    return recoverer.recover(text);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error), at: 0 };
  }
}

/** The answer that stands in a list of them, to a job of a kind. */
export function replyAt(
  replies: RecoverReplies,
  index: number,
  kind: number,
): Recovered | ReadAndRecovered {
  const recovered = recoveredAt(replies, index);
  const told = replies[index + 5];
  if (told === '') return recovered;
  if (kind === EXPLAIN) return { ...recovered, explanation: told as Explanation };
  return { ...recovered, sent: told as ReadAndRecovered['sent'] };
}

function recoveredAt(replies: RecoverReplies, index: number): Recovered {
  const signers = replies[index + 1] as string;
  const txHash = replies[index + 2] as string;
  const fault = replies[index + 3] as string;
  if (fault !== '') return { fault, at: replies[index + 4] as number };
  if (signers === '') return txHash === '' ? {} : { txHash };
  if (signers.includes(SIGNERS_SEPARATOR)) return wrapped(signers, txHash);
  return { signer: signers, txHash };
}

/** The answer for a multiSig wrapper: its sender, and who signed what it carries. */
function wrapped(signers: string, txHash: string): Recovered {
  const [signer = '', ...inner] = signers.split(SIGNERS_SEPARATOR);
  const innerSigners = inner.map((each) => (each === '' ? undefined : each));
  return { signer, innerSigners, txHash };
}
