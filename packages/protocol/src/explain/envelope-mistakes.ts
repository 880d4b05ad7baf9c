import { actionDefinition } from '../actions/registry.ts';
import { LIMITS } from '../limits.ts';
import { expiryBytes, vaultBytes } from '../signing/agent-hash.ts';
import { u64be } from '../bytes.ts';
import type { StructValues } from '../signing/typed-data.ts';
import type { HashedParts, Recipe } from './recipe.ts';
import type { Candidate, Subject } from './subject.ts';

/** Mistakes beside the action: nonce, vault, expiry, and the signature's own v. */

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
const NOTHING = new Uint8Array(0);

export function* vaultFlag({ base, request, context }: Subject): Iterable<Candidate> {
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
    hint: 'Hash the one byte 00 where there is no vault: you signed the zero address as vault.',
    ...hashing(vaultBytes(ZERO_ADDRESS)),
  };
  yield {
    variant: 'no vault byte',
    hint: 'Hash a vault byte after the nonce: it is 00 where there is no vault.',
    ...hashing(NOTHING),
  };
  // The operator's actions are for no vault.
  const { signedBy } = actionDefinition(String(request.action['type'])) ?? {};
  if (vault !== undefined || signedBy === 'permissioned') return;
  for (const each of context.vaults.slice(0, LIMITS.explainVaultsMax)) {
    const hint = `Send vaultAddress ${each}: you signed for that vault and sent none.`;
    yield { variant: `vault ${each}`, hint, ...hashing(vaultBytes(each)) };
  }
}

export function* nonce({ base, request, scheme }: Subject): Iterable<Candidate> {
  const sent = request.envelope.nonce;
  const inner = nonceIn(request.action);
  // The struct of a direct action has the nonce of the action, whatever the envelope says.
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

/** The nonce that an action holds, or the inner action of a wrapper. */
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

export function* vParity({ signature }: Subject): Iterable<Candidate> {
  const v = signature.v === 27 ? 28 : 27;
  const hint = `Send v ${v} (27 plus the recovery bit) with this r and s.`;
  yield { variant: `v ${v}`, hint, signature: { ...signature, v } };
}

export function* expiresAfter({ base, request }: Subject): Iterable<Candidate> {
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

/** The recipe with other parts of the preimage; a direct action has none and stays as it is. */
function withParts(base: Recipe, parts: Partial<HashedParts>): { recipe: Recipe } {
  const { hashed } = base;
  return { recipe: hashed === undefined ? base : { ...base, hashed: { ...hashed, ...parts } } };
}
