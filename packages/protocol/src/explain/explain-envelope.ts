import type { Address } from '@oddlot/units';
import type { ExplainedSignature, Mistake } from '../info/venue-answers.ts';
import { scanEnvelope } from '../json/scan.ts';
import { mapWithout } from '../json/msgpack.ts';
import { bytesToHex } from '../bytes.ts';
import { type EnvelopeHash, hashEnvelope, type MultiSigContext } from '../signing/hash-envelope.ts';
import type { Hasher } from '../signing/hasher.ts';
import { recoverSigner, type RecoverPublicKey } from '../signing/recover.ts';
import { normaliseSignature } from '../signing/signature.ts';
import { domainOf, type StructValues } from '../signing/typed-data.ts';
import { type ExplainContext, recipeOf } from './recipe.ts';
import { signingAttempts } from './signing-attempts.ts';

/** The contents and the signer of a signature, before the signer's role is looked up. */
type SignatureFacts = Omit<
  ExplainedSignature,
  'role' | 'owner' | 'agentName' | 'tried' | 'match'
> & { readonly signer: Address | null };

/** The signer recovered on the assumption that the client made this mistake. */
type ExplainedAttempt = {
  readonly mistake: Mistake;
  readonly variant: string;
  readonly hint: string;
  readonly signer: Address | null;
};

/**
 * The facts about a signature, and the possible mistakes in the order in which they are checked.
 */
export type Explanation = {
  readonly facts: SignatureFacts;
  readonly attempts: readonly ExplainedAttempt[];
};

type SignedEnvelope = MultiSigContext & {
  readonly action: StructValues;
  readonly signature: unknown;
};

/**
 * Analyses a signed request and hashes its action exactly as written. `text` must be an envelope
 * with a valid shape; otherwise the function throws.
 */
export function explainEnvelope(
  text: string,
  context: ExplainContext,
  { hasher, recover }: { hasher: Hasher; recover?: RecoverPublicKey },
): Explanation {
  const scanned = scanEnvelope(text);
  const { action, ...envelope } = JSON.parse(text) as SignedEnvelope;
  const signature = normaliseSignature(envelope.signature);
  if (!scanned.ok || scanned.action === undefined || signature === undefined) {
    throw new RangeError('not an envelope');
  }
  const { network, keccak } = hasher;
  const request = { msgpack: scanned.action, action, envelope };
  const hash = hashEnvelope({ ...request, envelope: { ...envelope, signature } }, hasher);
  const tools = recover === undefined ? { keccak } : { keccak, recover };
  const signerOf = (digest: Uint8Array, given = signature): Address | null =>
    recoverSigner(digest, given, tools) ?? null;
  const base = recipeOf(request, network);
  const subject = { scheme: hash.scheme, request, signature, base, network, context, keccak };
  const attempts: ExplainedAttempt[] = [];
  for (const { digest, signature: given, ...attempt } of signingAttempts(subject)) {
    attempts.push({ ...attempt, signer: signerOf(digest, given) });
  }
  const { domainChainId, typeString } = hash;
  const facts: SignatureFacts = {
    scheme: hash.scheme,
    typeString,
    domain: domainOf(network, domainChainId),
    ...hashedFacts(hash, scanned.action),
    structHash: bytesToHex(hash.structHash),
    digest: bytesToHex(hash.digest),
    txHash: bytesToHex(hash.txHash),
    signer: signerOf(hash.digest),
  };
  return { facts, attempts };
}

/** Returns the hashed data that the struct refers to; direct actions have none. */
function hashedFacts(
  hash: EnvelopeHash,
  action: Uint8Array,
): Pick<SignatureFacts, 'msgpack' | 'preimage' | 'connectionId'> {
  if (hash.scheme === 'direct') return { msgpack: null, preimage: null, connectionId: null };
  const isAgent = hash.scheme === 'agent';
  return {
    msgpack: bytesToHex(isAgent ? action : mapWithout(action, 'type')),
    preimage: bytesToHex(hash.preimage),
    connectionId: bytesToHex(isAgent ? hash.connectionId : hash.multiSigActionHash),
  };
}
