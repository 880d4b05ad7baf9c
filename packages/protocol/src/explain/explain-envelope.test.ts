import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  addressOf,
  bytesToHex,
  createHasher,
  explainEnvelope,
  hexToBytes,
  jsonToMsgpack,
  nobleRecover,
  type ExplainContext,
  type Explanation,
  type Network,
  type RecoverPublicKey,
} from '../index.ts';

/** The vectors, including those with a signing mistake, were generated with other libraries. */

type Vector = {
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
  msgpack?: string;
  connectionId?: string;
  multiSigActionHash?: string;
  typeString?: string;
  structHash?: string;
  digest: string;
  signature: { r: string; s: string; v: number };
  signer: string;
  txHash: string;
};
type Negative = Vector & {
  mistake: string;
  signedDigest: string;
  serverDigest: string;
  recovers: string;
  intendedSigner: string;
};

const vectors = JSON.parse(
  readFileSync(new URL('../../../../tests/vectors/signing.json', import.meta.url), 'utf8'),
) as { cases: Vector[]; negative: Negative[] };

const NETWORK: Network = { serviceNetwork: 'Service-Testnet', chainId: 2511, apiVersion: 1 };
const CONTEXT: ExplainContext = {
  otherNetworks: [{ serviceNetwork: 'Service-Mainnet', chainId: 869, apiVersion: 1 }],
  settlementChainId: 42_161,
  vaults: [`0x${'5a'.repeat(20)}`],
};

function textOf(given: Omit<Vector, 'name' | 'digest' | 'signer'>): string {
  const { nonce, vaultAddress, signatureChainId, expiresAfter, signature } = given;
  const rest = { signature, nonce, vaultAddress, signatureChainId, expiresAfter };
  return `{"action":${given.action},${JSON.stringify(rest).slice(1)}`;
}

/**
 * Explains a request, but recovers the signer only for the given digests, because recovery in plain
 * JavaScript is slow.
 */
function explain(text: string, digests: readonly string[], network = NETWORK): Explanation {
  const recover: RecoverPublicKey = (digest, ...signature) =>
    digests.includes(bytesToHex(digest)) ? nobleRecover(digest, ...signature) : undefined;
  return explainEnvelope(text, CONTEXT, { hasher: createHasher(network), recover });
}

describe('an explanation includes the facts about a signature', () => {
  test.each(vectors.cases.map((given) => [given.name, given] as const))(
    'the explained facts match the vector "%s"',
    (_, given) => {
      const { facts } = explain(textOf(given), [given.digest], given);
      const isDirect = given.scheme === 'direct';
      expect(facts).toMatchObject({
        scheme: given.scheme,
        msgpack: isDirect ? null : given.msgpack,
        connectionId: given.connectionId ?? given.multiSigActionHash ?? null,
        digest: given.digest,
        txHash: given.txHash,
        signer: given.signer,
        domain: {
          name: given.serviceNetwork,
          version: '1',
          chainId:
            isDirect || given.scheme === 'multiSig'
              ? (given.signatureChainId ?? given.chainId)
              : given.chainId,
          verifyingContract: `0x${'0'.repeat(40)}`,
        },
      });
      if (given.typeString !== undefined) expect(facts.typeString).toBe(given.typeString);
      if (given.structHash !== undefined) expect(facts.structHash).toBe(given.structHash);
      if (isDirect) expect(facts.preimage).toBeNull();
      else {
        const { msgpack = '' } = given;
        expect(facts.preimage?.startsWith(msgpack)).toBe(true);
        const { keccak } = createHasher(given);
        expect(bytesToHex(keccak(hexToBytes(facts.preimage ?? '')))).toBe(facts.connectionId);
      }
    },
  );
});

describe('an explanation identifies the signing mistake', () => {
  test.each(vectors.negative.map((given) => [given.mistake, given] as const))(
    'the mistake %s is detected and has a hint',
    (_, given) => {
      const digests = [given.serverDigest, given.signedDigest];
      const explanation = explain(textOf(given), digests, given);
      expect(explanation.facts.signer).toBe(given.recovers);
      const match = explanation.attempts.find((each) => each.signer === given.intendedSigner);
      expect(match?.mistake).toBe(given.mistake);
      expect(match?.hint).toMatch(/^[A-Z][^.]*\.$/);
    },
  );
});

const ORDER =
  '{"type":"order","grouping":"na","orders":[{"a":1,"b":true,"p":"1","s":"1","r":false,' +
  '"t":{"limit":{"tif":"Gtc"}}}]}';
const envelope = (action: string, s = '0x1'): string =>
  `{"nonce":1,"action":${action},"signature":{"r":"0x1","s":"${s}","v":0}}`;

test('a signature with a high s does not yield a signer for any mistake', () => {
  const text = envelope(ORDER, `0x${'f'.repeat(64)}`);
  const { facts, attempts } = explainEnvelope(text, CONTEXT, { hasher: createHasher(NETWORK) });
  expect(attempts.length).toBeGreaterThan(0);
  expect([facts, ...attempts].every(({ signer }) => signer === null)).toBe(true);
});

test('the action is hashed as it is written, so integer-like keys keep their position', () => {
  const action = '{"type":"cancelAll","10":"ten","7":{"b":1,"__proto__":2}}';
  expect(explain(envelope(action), []).facts.msgpack).toBe(bytesToHex(jsonToMsgpack(action)));
});

test('explainEnvelope uses the given recovery function', () => {
  const key = secp256k1.getPublicKey(hexToBytes(`0x${'07'.repeat(32)}`), false);
  const options = { hasher: createHasher(NETWORK), recover: () => key };
  const { facts, attempts } = explainEnvelope(envelope(ORDER), CONTEXT, options);
  expect([facts, ...attempts].every(({ signer }) => signer === addressOf(key))).toBe(true);
});

test('explainEnvelope throws if the text is not an envelope', () => {
  expect(() => explain('{"action":{}}', [])).toThrow('not an envelope');
  expect(() => explain(envelope(ORDER).replace('"action"', '"act"'), [])).toThrow(
    'not an envelope',
  );
});
