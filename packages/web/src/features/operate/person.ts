import { isAddress } from '../../lib/is-address.ts';
import type { Words } from '../../lib/words.ts';

const ZERO = /^0x0{40}$/i;

/** The address of somebody, in small letters; undefined for what nobody has. */
export function personOf(typed: string): string | undefined {
  const address = typed.trim();
  return isAddress(address) && !ZERO.test(address) ? address.toLowerCase() : undefined;
}

/** What is wrong with a typed address; nothing while there is none. */
export function personFault(typed: string, t: Words): string | undefined {
  const address = typed.trim();
  if (address === '' || personOf(address) !== undefined) return undefined;
  return t(ZERO.test(address) ? 'operate.zeroFault' : 'operate.addressFault');
}
