import { LIMITS } from '../limits.ts';
import { canonicalDecimal, type SignatureHex } from '../primitives.ts';
import { bytesToHex, u64be } from '../bytes.ts';
import { type Mistake, MISTAKES } from '../info/venue-answers.ts';
import {
  agentRecipe,
  type Candidate,
  type Candidates,
  digestOf,
  type HashedParts,
  type Recipe,
  recipeOf,
  type Subject,
} from './recipe.ts';
import { mapWithout } from '../json/msgpack.ts';
import {
  checksumAddresses,
  inSigningOrder,
  lowerCaseAddresses,
  rewriteTexts,
  sortedKeys,
  withKeysFirst,
} from './rewrite-action.ts';
import { actionDefinition } from '../actions/registry.ts';
import { expiryBytes, vaultBytes } from '../signing/agent-hash.ts';
import type { StructValues } from '../signing/typed-data.ts';
import type { Network } from '../network.ts';

/** The digest and the signature for which the signer is to be recovered. */
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
 * Yields the mistakes that can explain an unknown signer, one at a time and in a fixed order. A
 * candidate with the digest of an earlier one is skipped.
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

/** The key order used for orders on another venue. */
const HYPERLIQUID_ORDER = ['type', 'orders', 'grouping', 'builder'];

function* keyOrder(subject: Subject): Iterable<Candidate> {
  const { scheme, request } = subject;
  if (scheme === 'direct') return;
  const ordered = (variant: string, msgpack: Uint8Array): Candidate => ({
    variant,
    hint: `Hash the action in the key order in which you send it: you signed ${variant}.`,
    recipe: recipeOf({ ...request, msgpack }, subject.network),
  });
  yield ordered('the canonical key order', inSigningOrder(request.msgpack));
  yield ordered('sorted keys', sortedKeys(request.msgpack));
  if (request.action['type'] !== 'order') return;
  const variant = HYPERLIQUID_ORDER.join(', ');
  yield ordered(variant, withKeysFirst(request.msgpack, HYPERLIQUID_ORDER));
}

function* missingType({ scheme, request, base }: Subject): Iterable<Candidate> {
  const { hashed } = base;
  if (hashed === undefined) return;
  if (scheme === 'multiSig') {
    const recipe = { ...base, hashed: { ...hashed, msgpack: request.msgpack } };
    const hint = 'Omit "type" from the wrapper that you hash: only its inner action contains it.';
    yield { variant: 'with type', hint, recipe };
    return;
  }
  const recipe = { ...base, hashed: { ...hashed, msgpack: mapWithout(hashed.msgpack, 'type') } };
  const hint = 'Hash the action with its "type": you signed it without the type.';
  yield { variant: 'without type', hint, recipe };
}

function* trailingZeros(subject: Subject): Iterable<Candidate> {
  const variant = 'decimals in canonical form';
  const hint = 'Hash decimals as you send them: you signed them without their trailing zeros.';
  yield respelled(subject, canonicalDecimal, { variant, hint });
}

function* addressCase(subject: Subject): Iterable<Candidate> {
  const spellings = [
    ['lower case', lowerCaseAddresses],
    ['checksum case', (text: string) => checksumAddresses(text, subject.keccak)],
  ] as const;
  for (const [name, rewrite] of spellings) {
    const hint = `Hash addresses as you send them: you signed them in ${name}.`;
    yield respelled(subject, rewrite, { variant: `addresses in ${name}`, hint });
  }
}

function respelled(
  { request, network }: Subject,
  rewrite: (text: string) => string,
  labels: Pick<Candidate, 'variant' | 'hint'>,
): Candidate {
  const msgpack = rewriteTexts(request.msgpack, rewrite);
  // The fields of a direct action are flat, and all values that its struct hashes as text are
  // strings here.
  const fields = Object.entries(request.action).map(([key, value]) => [
    key,
    typeof value === 'string' ? rewrite(value) : value,
  ]);
  const action = Object.fromEntries(fields) as Record<string, unknown>;
  return { ...labels, recipe: recipeOf({ ...request, msgpack, action }, network) };
}

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
const NOTHING = new Uint8Array(0);

function* vaultFlag({ base, request, context }: Subject): Iterable<Candidate> {
  const vault = request.envelope.vaultAddress ?? undefined;
  const hashing = (bytes: Uint8Array): Partial<Candidate> => withParts(base, { vault: bytes });
  if (base.hashed === undefined) return;
  if (vault !== undefined) {
    const hint =
      'Hash the vaultAddress that you send, or leave it out: you signed without a vault.';
    yield { variant: 'without the vault', hint, ...hashing(vaultBytes(null)) };
  }
  yield {
    variant: 'the zero address as vault',
    hint: 'If there is no vault, hash the single byte 00: you signed the zero address as the vault.',
    ...hashing(vaultBytes(ZERO_ADDRESS)),
  };
  yield {
    variant: 'no vault byte',
    hint: 'Hash a vault byte after the nonce: it is 00 if there is no vault.',
    ...hashing(NOTHING),
  };
  // Operator actions have no vault.
  const { signedBy } = actionDefinition(String(request.action['type'])) ?? {};
  if (vault !== undefined || signedBy === 'permissioned') return;
  for (const each of context.vaults.slice(0, LIMITS.explainVaultsMax)) {
    const hint = `Send vaultAddress ${each}: you signed for that vault and sent none.`;
    yield { variant: `vault ${each}`, hint, ...hashing(vaultBytes(each)) };
  }
}

function* nonce({ base, request, scheme }: Subject): Iterable<Candidate> {
  const sent = request.envelope.nonce;
  const inner = nonceIn(request.action);
  // A direct action's struct includes the action's nonce, even if the envelope has a different one.
  const hashed = scheme === 'direct' ? (inner ?? sent) : sent;
  const other = scheme === 'direct' ? sent : inner;
  const seconds = Math.floor(hashed / 1000);
  const numbers = [
    ['nonce + 1', hashed + 1],
    ['nonce - 1', hashed - 1],
    ['seconds', seconds],
  ] as const;
  for (const [variant, value] of numbers) yield* withNonce(base, variant, value, hashed);
  const bytes = base.hashed?.nonce;
  if (bytes !== undefined) {
    const forms = [
      ['little-endian bytes', bytes.toReversed()],
      ['4 bytes', bytes.slice(4)],
      ['seconds in 4 bytes', u64be(seconds).slice(4)],
    ] as const;
    for (const [variant, form] of forms) {
      const hint = `Hash the nonce as 8 big-endian bytes of milliseconds: you signed ${variant}.`;
      yield { variant, hint, ...withParts(base, { nonce: form }) };
    }
  }
  const variant = scheme === 'direct' ? "the envelope's nonce" : 'action.nonce';
  yield* withNonce(base, variant, other, hashed);
}

/** Returns the nonce of an action, or of the inner action of a wrapper. */
function nonceIn(action: StructValues): number | undefined {
  const payload = action['payload'] as StructValues | undefined;
  const inner = payload?.['action'] as StructValues | undefined;
  const found = action['nonce'] ?? inner?.['nonce'];
  return typeof found === 'number' ? found : undefined;
}

function* withNonce(
  base: Recipe,
  variant: string,
  value: number | undefined,
  expected: number,
): Iterable<Candidate> {
  if (value === undefined || !Number.isSafeInteger(value) || value < 0) return;
  const hint = `Sign the nonce that you send, ${expected}: you signed ${value}.`;
  const values = { ...base.values, nonce: value };
  const changed = withParts(base, { nonce: u64be(value) }).recipe;
  yield { variant, hint, recipe: { ...changed, values } };
}

function* vParity({ signature }: Subject): Iterable<Candidate> {
  const v = signature.v === 27 ? 28 : 27;
  const hint = `Send v ${v} (27 plus the recovery bit) with this r and s.`;
  yield { variant: `v ${v}`, hint, signature: { ...signature, v } };
}

function* expiresAfter({ base, request }: Subject): Iterable<Candidate> {
  const sent = request.envelope.expiresAfter ?? undefined;
  const hashing = (expiry: Uint8Array): Partial<Candidate> => withParts(base, { expiry });
  if (base.hashed === undefined) return;
  if (sent !== undefined) {
    const hint =
      'Hash 00 and the expiresAfter that you send, or leave it out: you signed without it.';
    yield { variant: 'without the expiry', hint, ...hashing(NOTHING) };
    return;
  }
  const hint = 'Hash nothing after the vault byte when you send no expiresAfter.';
  yield { variant: 'an expiry of 0', hint, ...hashing(expiryBytes(0)) };
  yield { variant: 'an expiry byte alone', hint, ...hashing(expiryBytes(0).slice(0, 1)) };
  const inAction = request.action['expiresAfter'];
  if (typeof inAction !== 'number' || inAction < 0) return;
  const misplaced = 'Send expiresAfter in the envelope: you signed one and sent it in the action.';
  yield { variant: 'action.expiresAfter', hint: misplaced, ...hashing(expiryBytes(inAction)) };
}

/**
 * Returns the recipe with different parts of the preimage. A direct action's recipe has none and is
 * unchanged.
 */
function withParts(base: Recipe, parts: Partial<HashedParts>): { recipe: Recipe } {
  const { hashed } = base;
  return { recipe: hashed === undefined ? base : { ...base, hashed: { ...hashed, ...parts } } };
}

const ETHEREUM = 1;

function* chainId(subject: Subject): Iterable<Candidate> {
  const { base, context, network, scheme } = subject;
  const others = context.otherNetworks.map((other) => other.chainId);
  const wallets = walletChains(subject);
  // For an agent-signed action, the wallet's chain id in the domain is a separate mistake.
  const inDomain = scheme === 'agent' ? others : [...others, ...wallets, network.chainId];
  for (const id of new Set([...others, ...wallets, network.chainId])) {
    if (inDomain.includes(id)) yield domainOnly(subject, id);
    const values = { ...base.values, chainId: id };
    const expected = base.domain.chainId;
    const hint =
      `Sign chain id ${network.chainId} in the struct and ${expected} in the domain: ` +
      `you signed ${id} in both.`;
    const recipe = { ...base, values, domain: { ...base.domain, chainId: id } };
    yield { variant: `${id} in domain and struct`, hint, recipe };
  }
}

function domainOnly({ base, scheme }: Subject, id: number): Candidate {
  const expected = `Sign under chain id ${base.domain.chainId} in the domain`;
  const hint =
    scheme === 'agent'
      ? `${expected}: you signed under ${id}.`
      : `${expected}, or send signatureChainId ${id}: you signed under ${id}.`;
  return { variant: `${id} in the domain`, hint, recipe: underChain(base, id) };
}

function* networkName(subject: Subject): Iterable<Candidate> {
  const { base, context, network } = subject;
  for (const other of [...namedByItself(subject), ...context.otherNetworks]) {
    const { serviceNetwork } = other;
    const hint = `Sign for ${network.serviceNetwork}, the network of this venue: you signed for ${serviceNetwork}.`;
    const values = { ...base.values, serviceNetwork };
    const named = { ...base, values, domain: { ...base.domain, name: serviceNetwork } };
    yield { variant: `${serviceNetwork} in domain and struct`, hint, recipe: named };
    const { chainId: id } = other;
    const moved = { ...underChain(named, id), values: { ...values, chainId: id } };
    yield { variant: `${serviceNetwork} and ${id} in domain and struct`, hint, recipe: moved };
  }
}

/**
 * Returns the network named in a direct action itself, alone or in a wrapper, if it is a different
 * network.
 */
function namedByItself({ network, request }: Subject): readonly Network[] {
  const { payload } = request.action as { payload?: { action?: unknown } };
  const signedFields = (payload?.action ?? request.action) as Partial<
    Record<keyof Network, unknown>
  >;
  const { chainId: id = network.chainId, serviceNetwork } = signedFields;
  if (typeof serviceNetwork !== 'string' || typeof id !== 'number') return [];
  return serviceNetwork === network.serviceNetwork
    ? []
    : [{ ...network, serviceNetwork, chainId: id }];
}

function* directSignedAsAgent(subject: Subject): Iterable<Candidate> {
  const { request, network, scheme, base } = subject;
  if (scheme === 'agent') return;
  const variant = 'hashed as an agent-signed action';
  const hint = `Sign the struct ${base.struct.name}: you signed Agent, as for a trading action.`;
  const recipe = agentRecipe(request, network);
  yield { variant, hint, recipe };
  const id = request.envelope.signatureChainId;
  if (id === null || id === undefined) return;
  yield { variant: `${variant} under chain id ${id}`, hint, recipe: underChain(recipe, id) };
}

function* agentSignedAsDirect(subject: Subject): Iterable<Candidate> {
  const { base, network, scheme } = subject;
  if (scheme !== 'agent') return;
  for (const id of walletChains(subject).toReversed()) {
    const hint = `Sign Agent under the venue's chain id ${network.chainId}, not a wallet's: you signed under ${id}.`;
    yield { variant: `chain id ${id} in the domain`, hint, recipe: underChain(base, id) };
  }
}

/** Returns the chains that a wallet may have used, the least likely first. */
function walletChains({ request, context }: Subject): number[] {
  const { signatureChainId } = request.envelope;
  const sent = typeof signatureChainId === 'number' ? [signatureChainId] : [];
  return [ETHEREUM, context.settlementChainId, ...sent];
}

function underChain(recipe: Recipe, id: number): Recipe {
  return { ...recipe, domain: { ...recipe.domain, chainId: id } };
}
