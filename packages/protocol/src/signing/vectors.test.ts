import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { present } from '@oddlot/units';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  bytesToHex,
  canonicalAction,
  checkBinding,
  createHasher,
  encodeMsgpack,
  hashEnvelope,
  hexToBytes,
  jsonToMsgpack,
  normaliseSignature,
  parseAction,
  parseEnvelope,
  recoverSigner,
  scanEnvelope,
  traceId,
  addressOf,
  type ActionInput,
  type EnvelopeHash,
} from '../index.ts';

/**
 * The vectors were generated with other libraries. Every case is processed like a request, and each
 * intermediate value is compared.
 */

type Case = {
  name: string;
  scheme: 'agent' | 'direct' | 'multiSig';
  action: string;
  nonce: number;
  vaultAddress: string | null;
  signatureChainId: number | null;
  expiresAfter: number | null;
  serviceNetwork: string;
  chainId: number;
  apiVersion: number;
  privateKey: string;
  msgpack?: string;
  connectionId?: string;
  multiSigActionHash?: string;
  typeString?: string;
  structHash?: string;
  digest: string;
  signature: { r: string; s: string; v: number };
  signer: string;
  txHash: string;
  inner?: {
    msgpack?: string;
    connectionId?: string;
    typeString?: string;
    structHash?: string;
    digest: string;
    signers: { privateKey: string; signer: string }[];
  };
};
type Negative = Omit<Case, 'name' | 'digest' | 'signer'> & {
  mistake: string;
  signedDigest: string;
  serverDigest: string;
  recovers: string;
  intendedSigner: string;
};

const vectors = JSON.parse(
  readFileSync(new URL('../../../../tests/vectors/signing.json', import.meta.url), 'utf8'),
) as {
  cases: Case[];
  negative: Negative[];
  traceIdExample: { txHash: string; traceId: string };
};

/** Builds the body as a client sends it, with the text of the action unchanged. */
function bodyOf(given: Omit<Case, 'name' | 'digest' | 'signer'>): string {
  const { nonce, vaultAddress, signatureChainId, expiresAfter, signature } = given;
  const rest = { signature, nonce, vaultAddress, signatureChainId, expiresAfter };
  return `{"action":${given.action},${JSON.stringify(rest).slice(1)}`;
}

function hashOf(given: Omit<Case, 'name' | 'digest' | 'signer'>): EnvelopeHash {
  const text = bodyOf(given);
  const scan = scanEnvelope(text);
  if (!scan.ok) throw new Error(scan.message);
  const parsed = parseEnvelope(JSON.parse(text));
  if (!parsed.ok) throw new Error(parsed.error.message);
  const action = parseAction(parsed.envelope.action);
  if (!action.ok) throw new Error(`${action.error.message} ${JSON.stringify(action.error)}`);
  expect(checkBinding(action.action, parsed.envelope, given)).toBeUndefined();
  const msgpack = present(scan.action, 'action');
  const request = { msgpack, action: parsed.envelope.action, envelope: parsed.envelope };
  return hashEnvelope(request, createHasher(given));
}

const hex = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : bytesToHex(bytes);

test('the file has all 66 vectors and 12 negative ones', () => {
  expect(vectors.cases.length).toBe(66);
  expect(vectors.negative.length).toBe(12);
});

describe('the digest and the signer of every signing vector match', () => {
  test.each(vectors.cases.map((given) => [given.name, given] as const))(
    'the vector "%s" hashes and recovers to the expected values',
    (_, given) => {
      const hash = hashOf(given);
      expect(hash.scheme).toBe(given.scheme);
      expect(hex(hash.digest)).toBe(given.digest);
      expect(hex(hash.txHash)).toBe(given.txHash);
      if (given.typeString !== undefined) expect(hash.typeString).toBe(given.typeString);
      if (given.structHash !== undefined) expect(hex(hash.structHash)).toBe(given.structHash);
      if (hash.scheme === 'agent') expect(hex(hash.connectionId)).toBe(given.connectionId);
      if (hash.scheme === 'multiSig') {
        expect(hex(hash.multiSigActionHash)).toBe(given.multiSigActionHash);
      }
      const signature = present(normaliseSignature(given.signature), 'signature');
      expect(recoverSigner(hash.digest, signature)).toBe(given.signer);
      expect(addressOf(secp256k1.getPublicKey(hexToBytes(given.privateKey), false))).toBe(
        given.signer,
      );
    },
  );
});

describe('the MessagePack bytes of every signing vector match', () => {
  const cases = vectors.cases.filter((given) => given.msgpack !== undefined);
  test.each(cases.map((given) => [given.name, given] as const))(
    'the action of "%s" has the same bytes from its text and from an object',
    (_, given) => {
      const { type, ...rest } = JSON.parse(given.action) as Record<string, unknown>;
      const hashed = given.scheme === 'multiSig' ? rest : { type, ...rest };
      expect(hex(jsonToMsgpack(JSON.stringify(hashed)))).toBe(given.msgpack);
      expect(hex(encodeMsgpack(hashed))).toBe(given.msgpack);
      if (given.scheme === 'agent') expect(hex(jsonToMsgpack(given.action))).toBe(given.msgpack);
    },
  );
});

describe("the key order of the project's clients is the signing order", () => {
  test.each(vectors.cases.map((given) => [given.name, given] as const))(
    'canonicalAction restores the key order of "%s"',
    (_, given) => {
      const shuffled = reverseKeys(JSON.parse(given.action)) as ActionInput;
      expect(JSON.stringify(canonicalAction(shuffled))).toBe(given.action);
    },
  );
});

describe('the inner signers of a multiSig wrapper are recovered', () => {
  const cases = vectors.cases.filter((given) => given.inner !== undefined);
  test.each(cases.map((given) => [given.name, given] as const))(
    'the inner signers of "%s" are recovered',
    (_, given) => {
      const inner = present(given.inner, 'inner');
      const hash = hashOf(given);
      if (hash.scheme !== 'multiSig') throw new Error('not a wrapper');
      expect(hex(hash.inner.digest)).toBe(inner.digest);
      if (hash.inner.scheme === 'agent') {
        expect(hex(hash.inner.msgpack)).toBe(inner.msgpack);
        expect(hex(hash.inner.connectionId)).toBe(inner.connectionId);
      } else {
        expect(hash.inner.typeString).toBe(inner.typeString);
        expect(hex(hash.inner.structHash)).toBe(inner.structHash);
      }
      const { signatures } = JSON.parse(given.action) as { signatures: unknown[] };
      const signers = signatures.map((signature) =>
        recoverSigner(hash.inner.digest, present(normaliseSignature(signature), 'signature')),
      );
      expect(signers).toEqual(inner.signers.map(({ signer }) => signer));
    },
  );
});

describe('a client’s signing mistake changes the recovered signer', () => {
  test.each(vectors.negative.map((given) => [given.mistake, given] as const))(
    'a signature with the mistake %s recovers to an unknown address',
    (_, given) => {
      const hash = hashOf(given);
      expect(hex(hash.digest)).toBe(given.serverDigest);
      const signature = present(normaliseSignature(given.signature), 'signature');
      const recovered = recoverSigner(hash.digest, signature);
      expect(recovered).toBe(given.recovers);
      expect(recovered).not.toBe(given.intendedSigner);
    },
  );
});

test('a trace id is the first half of the transaction hash as a UUID', () => {
  expect(traceId(vectors.traceIdExample.txHash)).toBe(vectors.traceIdExample.traceId);
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, field]) => [key, reverseKeys(field)]));
}
