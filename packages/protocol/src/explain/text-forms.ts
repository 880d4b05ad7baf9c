import { bytesToHex, utf8 } from '../bytes.ts';
import type { Keccak } from '../signing/typed-data.ts';

/** Other spellings of the texts of an action that mean the same and hash differently. */

/** Also finds addresses inside of a longer text, such as the JSON of a signer set. */
const ADDRESSES = /\b0x[0-9a-fA-F]{40}\b/g;

/** The text with its addresses in lower case. */
export function lowerCaseAddresses(text: string): string {
  return text.replaceAll(ADDRESSES, (found) => found.toLowerCase());
}

/** The text with its addresses in checksum case (EIP-55). */
export function checksumAddresses(text: string, keccak: Keccak): string {
  return text.replaceAll(ADDRESSES, (found) => {
    const digits = found.slice(2).toLowerCase();
    const hash = bytesToHex(keccak(utf8(digits))).slice(2);
    const cased = [...digits].map((digit, index) =>
      Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
    );
    return `0x${cased.join('')}`;
  });
}
