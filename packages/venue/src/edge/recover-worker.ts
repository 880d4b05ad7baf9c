import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { createKeccak } from 'hash-wasm';
import {
  createHasher,
  explainEnvelope,
  hashEnvelope,
  normaliseSignature,
  recoverSigner,
  scanEnvelope,
  type Explanation,
  type Network,
  type RecoverPublicKey,
} from '@oddlot/protocol';
import { readExplainJob } from './explain-job.ts';

/**
 * Says who signed a request. Runs in its own threads, since recovering a public key costs more than
 * everything else about a request. It trusts only the text: the action is hashed as it was written.
 */

/** The library that recovers public keys. */
export type RecoverBackend = 'secp256k1' | 'libauth';

/** Requests in one message, flat to keep the copy between threads cheap: id, kind, text; repeated. */
export type RecoverBatch = (number | string)[];
/**
 * Answers in one message: id, signers, txHash, fault, position, explanation; repeated. Empty text
 * means none. The signers of a multiSig wrapper stand in one text behind its sender's, so that no
 * other request has to carry a place for them.
 */
export type RecoverReplies = (number | string | Explanation)[];

const JOB_PARTS = 3;
export const REPLY_PARTS = 6;

/** Only compute the hash that names the request, recover its signer, or explain its signature. */
export const HASH_ONLY = 0;
export const RECOVER = 1;
export const EXPLAIN = 2;

/** Between the signers of a wrapper. */
export const SIGNERS_SEPARATOR = ',';

export type Recovered = {
  /** Undefined when nobody can have signed, or when only the hash was asked for. */
  readonly signer?: string;
  /** Who signed what a multiSig wrapper carries, one by one; undefined where nobody can have. */
  readonly innerSigners?: readonly (string | undefined)[];
  readonly txHash?: string;
  /** Why the text is refused, and where. */
  readonly fault?: string;
  readonly at?: number;
  /** Only when it was asked for. */
  readonly explanation?: Explanation;
};

/** Answers one request. */
export type Recoverer = {
  readonly backend: RecoverBackend;
  readonly recover: (text: string, hashOnly: boolean) => Recovered;
  /** Takes what `explainJob` makes. */
  readonly explain: (text: string) => Recovered;
};

type SignedFields = {
  readonly action: Record<string, unknown>;
  readonly signature: unknown;
  readonly nonce: number;
  readonly vaultAddress?: string | null;
  readonly signatureChainId?: number | null;
  readonly expiresAfter?: number | null;
};

/** Loads the fastest backend that this machine has. */
export async function createRecoverer(
  network: Network,
  wanted?: RecoverBackend,
): Promise<Recoverer> {
  const wasm = await createKeccak(256);
  const keccak = (bytes: Uint8Array): Uint8Array => wasm.init().update(bytes).digest('binary');
  const { backend, recover } = await loadBackend(wanted);
  const hasher = createHasher(network, keccak);
  return {
    backend,
    recover: (text, hashOnly) => {
      const scanned = scanEnvelope(text);
      if (!scanned.ok) return { fault: scanned.message, at: scanned.at };
      if (scanned.action === undefined) return { fault: 'no action', at: 0 };
      const { action, ...rest } = JSON.parse(text) as SignedFields;
      const signature = normaliseSignature(rest.signature);
      if (signature === undefined) return { fault: 'no signature', at: 0 };
      const envelope = { ...rest, signature };
      const hash = hashEnvelope({ msgpack: scanned.action, action, envelope }, hasher);
      const txHash = `0x${Buffer.from(hash.txHash).toString('hex')}`;
      if (hashOnly) return { txHash };
      const backends = { recover, keccak };
      const signer = recoverSigner(hash.digest, signature, backends);
      if (signer === undefined) return { txHash };
      if (hash.scheme !== 'multiSig') return { txHash, signer };
      const signatures = (action['signatures'] as unknown[]).map(normaliseSignature);
      const innerSigners = signatures.map((each) =>
        each === undefined ? undefined : recoverSigner(hash.inner.digest, each, backends),
      );
      return { txHash, signer, innerSigners };
    },
    explain: (text) => {
      const job = readExplainJob(text);
      if ('fault' in job) return job;
      return { explanation: explainEnvelope(job.envelope, job.context, { hasher, recover }) };
    },
  };
}

async function loadBackend(
  wanted: RecoverBackend | undefined,
): Promise<{ backend: RecoverBackend; recover: RecoverPublicKey }> {
  const native = wanted === 'libauth' ? undefined : loadNative();
  if (native !== undefined) return { backend: 'secp256k1', recover: native };
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  const secp256k1 = await instantiateSecp256k1();
  const recover: RecoverPublicKey = (digest, r, s, bit) => {
    const key = secp256k1.recoverPublicKeyUncompressed(compact(r, s), bit, digest);
    return typeof key === 'string' ? undefined : key;
  };
  return { backend: 'libauth', recover };
}

type NativeSecp256k1 = {
  readonly ecdsaRecover: (
    signature: Uint8Array,
    recoveryBit: number,
    digest: Uint8Array,
    compressed: boolean,
  ) => Uint8Array;
};

/** The binding is an optional dependency; its package's own fallback is slow, so it is not asked. */
function loadNative(): RecoverPublicKey | undefined {
  let native: NativeSecp256k1;
  try {
    native = createRequire(import.meta.url)('secp256k1/bindings.js') as NativeSecp256k1;
  } catch {
    return undefined;
  }
  return (digest, r, s, bit) => {
    try {
      return native.ecdsaRecover(compact(r, s), bit, digest, false);
    } catch {
      // The binding throws when r is not on the curve or a component is out of range.
      return undefined;
    }
  };
}

function compact(r: Uint8Array, s: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set(r, 0);
  bytes.set(s, 32);
  return bytes;
}

function answerBatch(recoverer: Recoverer, batch: RecoverBatch): RecoverReplies {
  const replies: RecoverReplies = [];
  for (let index = 0; index < batch.length; index += JOB_PARTS) {
    const [id, kind, text] = batch.slice(index, index + JOB_PARTS) as [number, number, string];
    const answer = answerOne(recoverer, kind, text);
    const { signer = '', innerSigners, txHash = '', fault = '', at = 0, explanation = '' } = answer;
    const signers =
      innerSigners === undefined ? signer : [signer, ...innerSigners].join(SIGNERS_SEPARATOR);
    replies.push(id, signers, txHash, fault, at, explanation);
  }
  return replies;
}

/** A text that breaks the hashing is refused alone: the others of its batch are not its fault. */
function answerOne(recoverer: Recoverer, kind: number, text: string): Recovered {
  try {
    return kind === EXPLAIN ? recoverer.explain(text) : recoverer.recover(text, kind === HASH_ONLY);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error), at: 0 };
  }
}

/** What a worker is started with. */
export type RecoverWorkerData = {
  readonly recoverNetwork: Network;
  readonly backend?: RecoverBackend;
};

const started = workerData as RecoverWorkerData | null;
if (parentPort !== null && started?.recoverNetwork !== undefined) {
  const port = parentPort;
  const recoverer = await createRecoverer(started.recoverNetwork, started.backend);
  port.on('message', (batch: RecoverBatch) => port.postMessage(answerBatch(recoverer, batch)));
  port.postMessage(recoverer.backend);
}
