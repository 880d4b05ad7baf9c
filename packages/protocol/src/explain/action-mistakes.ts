import { mapWithout } from '../json/msgpack-slice.ts';
import { recipeOf } from './recipe.ts';
import { inSigningOrder, rewriteTexts, sortedKeys, withKeysFirst } from './rewrite-action.ts';
import type { Candidate, Subject } from './subject.ts';
import { canonicalDecimal } from '../canonical-decimal.ts';
import { checksumAddresses, lowerCaseAddresses } from './text-forms.ts';

/** Mistakes in the action: it was hashed in another form than it was sent. */

/** The order of order's keys on another venue. */
const HYPERLIQUID_ORDER = ['type', 'orders', 'grouping', 'builder'];

export function* keyOrder(subject: Subject): Iterable<Candidate> {
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

export function* missingType({ scheme, request, base }: Subject): Iterable<Candidate> {
  const { hashed } = base;
  if (hashed === undefined) return;
  if (scheme === 'multiSig') {
    const recipe = { ...base, hashed: { ...hashed, msgpack: request.msgpack } };
    const hint =
      'Leave "type" out of the wrapper that you hash: only its inner action contains it.';
    yield { variant: 'with type', hint, recipe };
    return;
  }
  const recipe = { ...base, hashed: { ...hashed, msgpack: mapWithout(hashed.msgpack, 'type') } };
  const hint = 'Hash the action with its "type": you signed it without the type.';
  yield { variant: 'without type', hint, recipe };
}

export function* trailingZeros(subject: Subject): Iterable<Candidate> {
  const variant = 'decimals in canonical form';
  const hint = 'Hash decimals as you send them: you signed them without their superfluous zeros.';
  yield respelled(subject, canonicalDecimal, { variant, hint });
}

export function* addressCase(subject: Subject): Iterable<Candidate> {
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
  told: Pick<Candidate, 'variant' | 'hint'>,
): Candidate {
  const msgpack = rewriteTexts(request.msgpack, rewrite);
  // The fields of a direct action are flat: what its struct hashes as text is text here.
  const fields = Object.entries(request.action).map(([key, value]) => [
    key,
    typeof value === 'string' ? rewrite(value) : value,
  ]);
  const action = Object.fromEntries(fields) as Record<string, unknown>;
  return { ...told, recipe: recipeOf({ ...request, msgpack, action }, network) };
}
