import { isAddress } from '../../../lib/is-address.ts';

/** The most that an account can have. */
export const SIGNERS_MAX = 10;

/** What is wrong with one of the typed addresses; undefined for one that will do, and for an empty field. */
type SignerFault = 'noAddress' | 'own' | 'twice';

export function signerFault(
  typed: readonly string[],
  at: number,
  own: string,
): SignerFault | undefined {
  const signers = typed.map(plain);
  const signer = signers[at] ?? '';
  if (signer === '') return undefined;
  if (!isAddress(signer)) return 'noAddress';
  if (signer === own) return 'own';
  return signers.indexOf(signer) < at ? 'twice' : undefined;
}

/** The signers, when all that was typed will do; fields that are empty do not count. */
export function signersOf(typed: readonly string[], own: string): readonly string[] | undefined {
  if (typed.some((_, at) => signerFault(typed, at, own) !== undefined)) return undefined;
  const signers = typed.map(plain).filter((signer) => signer !== '');
  return signers.length === 0 ? undefined : signers;
}

function plain(typed: string): string {
  return typed.trim().toLowerCase();
}
