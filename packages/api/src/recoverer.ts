import { createKeccak } from 'hash-wasm';
import {
  bytesToHex,
  createAgentRequestHasher,
  createHasher,
  explainEnvelope,
  hashAction,
  type Hasher,
  isHyperliquidRequest,
  parseObject,
  readPlainRequest,
  readSignature,
  refusal,
  type RecoverPublicKey,
  recoverSignerOf,
  scanEnvelope,
  txHash as hashRequest,
  type Explanation,
  type Network,
  type PlainRequest,
  type WireError,
} from '@oddlot/protocol';
import type { Authority } from '@oddlot/engine';
import type { Address, Hash, TimeMs } from '@oddlot/units';
import { createHyperliquidReader } from './read-hyperliquid.ts';
import {
  readExplainJob,
  type ReadJob,
  readRequest,
  type RefusedRequest,
  type SentOrders,
  sentOrders,
  type SentRequest,
} from './read-request.ts';
import { loadRecoverBackend, type RecoverBackend } from './recover-backend.ts';

export type Recovered = {
  /** Undefined if the signature is invalid, or if only the hash was needed. */
  readonly signer?: string;
  /**
   * The signers of a multiSig wrapper's inner action, with undefined for each invalid signature.
   */
  readonly innerSigners?: readonly (string | undefined)[];
  readonly txHash?: string;
  /** Why the text cannot be hashed; `at` is its offset. */
  readonly fault?: string;
  readonly at?: number;
  /**
   * The signer that a Hyperliquid request would have if it was signed for Hyperliquid's mainnet.
   */
  readonly mainnetSigner?: string;
  /** Present only for a job that explains a signature. */
  readonly explanation?: Explanation;
};

/** A parsed request and its signer; a refused request has no signer. */
type ReadAndRecovered = Recovered & {
  readonly sent: SentRequest | SentOrders | RefusedRequest;
};

export type Recoverer = {
  readonly backend: RecoverBackend;
  /** The duration of one recovery on this machine, in microseconds. */
  readonly recoverUs: number;
  readonly recover: (text: string) => Recovered;
  /** Parses a request and, unless it is refused, recovers its signer. */
  readonly read: (text: string, job: ReadJob) => ReadAndRecovered;
  /** Explains a signature; the text is the result of `explainJob`. */
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

/**
 * Creates a recoverer with the requested backend, by default the fastest one on this machine. It
 * hashes the text of the action as received.
 */
export async function createRecoverer(
  network: Network,
  requested?: RecoverBackend,
): Promise<Recoverer> {
  const wasm = await createKeccak(256);
  const keccak = (bytes: Uint8Array): Uint8Array => wasm.init().update(bytes).digest('binary');
  const { backend, recover, recoverUs } = await loadRecoverBackend(requested);
  const hasher = createHasher(network, keccak);
  const hashPlain = createAgentRequestHasher(hasher);
  const backends = { recover, keccak };

  const recoverPlain = (plain: PlainRequest, hashOnly: boolean): Recovered => {
    const hash = hashPlain(plain);
    const txHash = bytesToHex(hash.txHash);
    const signer = hashOnly ? undefined : recoverSignerOf(hash.digest, plain.signature, backends);
    return signer === undefined ? { txHash } : { txHash, signer };
  };

  /**
   * Converts an exception into a fault, so that the request is refused like any other request that
   * violates the strict JSON rules.
   */
  const recoverAny = (text: string, hashOnly: boolean, body?: SignedFields): Recovered => {
    try {
      return recoverScanned({ hasher, recover }, text, hashOnly, body);
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error), at: 0 };
    }
  };

  const hyperliquid = createHyperliquidReader(network, backends);

  return {
    backend,
    recoverUs,
    recover: (text) => {
      if (isHyperliquidRequest(text)) return hyperliquid.recover(text);
      const plain = readPlainRequest(text);
      return plain === undefined ? recoverAny(text, false) : recoverPlain(plain, false);
    },
    read: (text, job) => {
      if (isHyperliquidRequest(text)) {
        const asked = hyperliquid.read(text, job);
        return asked.recover === undefined ? asked : withSigner(asked.sent, job, asked.recover);
      }
      const plain = job.isLarge ? undefined : readPlainRequest(text);
      if (plain !== undefined) {
        return withSigner(sentOrders(plain), job, (hashOnly) => recoverPlain(plain, hashOnly));
      }
      const parsed = parseObject(text, false);
      if (!parsed.ok) return { sent: { refused: parsed.error, isGateway: true } };
      const body = parsed.body as SignedFields & Record<string, unknown>;
      const sent = readRequest(network, { body, chars: text.length }, job);
      if ('refused' in sent) return { sent };
      return withSigner(sent, job, (hashOnly) => recoverAny(text, hashOnly, body));
    },
    explain: (text) => {
      const job = readExplainJob(text);
      if ('fault' in job) return job;
      return { explanation: explainEnvelope(job.envelope, job.context, { hasher, recover }) };
    },
  };
}

type RecoverTools = { readonly hasher: Hasher; readonly recover: RecoverPublicKey };

/** Hashes the text of the action as received, and recovers the signers. */
function recoverScanned(
  { hasher, recover }: RecoverTools,
  text: string,
  hashOnly: boolean,
  body?: SignedFields,
): Recovered {
  const { keccak } = hasher;
  const backends = { recover, keccak };
  const scanned = scanEnvelope(text);
  if (!scanned.ok) return { fault: scanned.message, at: scanned.at };
  if (scanned.action === undefined) return { fault: 'no action', at: 0 };
  const envelope = body ?? (JSON.parse(text) as SignedFields);
  const { action } = envelope;
  const signature = readSignature(envelope.signature);
  if (signature === undefined) return { fault: 'no signature', at: 0 };
  const hash = hashAction({ msgpack: scanned.action, action, envelope }, hasher);
  const txHash = bytesToHex(hashRequest(hash.signed, signature, keccak));
  if (hashOnly) return { txHash };
  const signer = recoverSignerOf(hash.digest, signature, backends);
  if (signer === undefined) return { txHash };
  if (hash.scheme !== 'multiSig') return { txHash, signer };
  const signatures = (action['signatures'] as unknown[]).map(readSignature);
  const innerSigners = signatures.map((each) =>
    each === undefined ? undefined : recoverSignerOf(hash.inner.digest, each, backends),
  );
  return { txHash, signer, innerSigners };
}

/**
 * Skips the recovery if the nonce is above the window, because the request is rejected in any case.
 * For a nonce below the window, the hash is still needed, because the request may have been
 * executed before.
 */
function withSigner(
  sent: SentRequest | SentOrders,
  { nonceAfter, nonceBefore }: ReadJob,
  recover: (hashOnly: boolean) => Recovered,
): ReadAndRecovered {
  const { nonce } = sent.envelope;
  return nonce >= nonceBefore ? { sent } : { sent, ...recover(nonce <= nonceAfter) };
}

/**
 * Returns the authority of a request (signer, account and multi-sig signers), or why its signatures
 * are not sufficient.
 */
export function authorityFrom(
  { envelope, wrapper }: SentRequest,
  { signer, innerSigners }: Recovered,
  txHash: Hash,
): Authority | WireError {
  if (signer === undefined) return refusal('invalidSignature', [], { field: 'signature' });
  const { nonce, expiresAfter, vaultAddress } = envelope;
  const authority = {
    signer: signer as Address,
    nonce,
    txHash,
    ...(typeof expiresAfter === 'number' ? { expiresAfterMs: expiresAfter as TimeMs } : {}),
    ...(typeof vaultAddress === 'string' ? { vault: vaultAddress } : {}),
  };
  if (wrapper === undefined) return authority;
  const { multiSigUser: user, outerSigner } = wrapper;
  if (signer !== outerSigner) {
    return refusal('signerNotUser', [], { field: 'payload.outerSigner', got: signer });
  }
  const signers = innerSigners ?? [];
  const invalid = signers.indexOf(undefined);
  if (invalid >= 0) return refusal('invalidSignature', [], { field: `signatures[${invalid}]` });
  return { ...authority, multiSig: { user, signers: [...new Set(signers)] as Address[] } };
}
