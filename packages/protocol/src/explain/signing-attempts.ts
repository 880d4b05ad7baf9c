import { LIMITS } from '../limits.ts';
import type { SignatureHex } from '../signature-schema.ts';
import { bytesToHex } from '../bytes.ts';
import { addressCase, keyOrder, missingType, trailingZeros } from './action-mistakes.ts';
import { expiresAfter, nonce, vaultFlag, vParity } from './envelope-mistakes.ts';
import { MISTAKES, type Mistake } from '../info/mistake.ts';
import {
  agentSignedAsDirect,
  chainId,
  directSignedAsAgent,
  networkName,
} from './network-mistakes.ts';
import { digestOf } from './recipe.ts';
import type { Candidates, Subject } from './subject.ts';

/** One thing to try: were this the digest and this the signature, who signed? */
export type SigningAttempt = {
  readonly mistake: Mistake;
  readonly variant: string;
  readonly hint: string;
  readonly digest: Uint8Array;
  readonly signature: SignatureHex;
};

const CANDIDATES: Readonly<Record<Mistake, Candidates>> = {
  keyOrder,
  missingType,
  chainId,
  networkName,
  vaultFlag,
  nonce,
  trailingZeros,
  addressCase,
  vParity,
  directSignedAsAgent,
  agentSignedAsDirect,
  expiresAfter,
};

/**
 * The mistakes that can lie behind a signature of nobody, one at a time and in a fixed order. What
 * comes to the same digest as something before it is left out.
 */
export function* signingAttempts(subject: Subject): Iterable<SigningAttempt> {
  const { base, keccak, request, signature: received } = subject;
  const seen = new Set([nameOf(digestOf(base, keccak), received)]);
  let left = Math.floor(LIMITS.explainBytesMax / request.msgpack.length);
  for (const mistake of MISTAKES) {
    for (const candidate of CANDIDATES[mistake](subject)) {
      if (left-- <= 0) return;
      const { variant, hint, recipe = base, signature = received } = candidate;
      const digest = digestOf(recipe, keccak);
      const name = nameOf(digest, signature);
      if (seen.has(name)) continue;
      seen.add(name);
      yield { mistake, variant, hint, digest, signature };
    }
  }
}

function nameOf(digest: Uint8Array, { v }: SignatureHex): string {
  return `${bytesToHex(digest)} ${v}`;
}
