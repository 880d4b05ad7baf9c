import { isAddress } from '../../lib/is-address.ts';

const HASH = /^0x[0-9a-fA-F]{64}$/;
const HEIGHT = /^\d{1,15}$/;

/** What somebody looks for: a block by its height, an account by its address, or a hash of either kind. */
type Wanted =
  | { readonly kind: 'block'; readonly height: string }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'hash'; readonly hash: string };

/** Undefined when it can be nothing of that. Spaces and the commas of grouped heights do not count. */
export function wantedOf(typed: string): Wanted | undefined {
  const text = typed.trim();
  const height = text.replaceAll(',', '');
  if (HEIGHT.test(height)) return { kind: 'block', height };
  if (isAddress(text)) return { kind: 'address', address: text.toLowerCase() };
  if (HASH.test(text)) return { kind: 'hash', hash: text.toLowerCase() };
  return undefined;
}
