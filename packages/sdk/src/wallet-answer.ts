import { HALF_ORDER, isLowS, recoverSigner, recoveryOf, type SignatureHex } from '@oddlot/protocol';
import { address, type Address } from '@oddlot/units';
import { SigningError } from './errors.ts';

/** Lets a foreign wallet's refusal out as ours, with the original as its cause. */
export async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SigningError(`The wallet did not sign: ${why}`, { cause });
  }
}

const SIGNATURE_PATTERN = /^0x[0-9a-fA-F]{130}$/;

/**
 * Reads the 65 bytes that a wallet answered. That they are the signer's is checked here: the venue
 * could only say that it does not know the stranger who signed.
 */
export function readSignature(
  answer: unknown,
  { digest, signer }: { digest: Uint8Array; signer: Address },
): SignatureHex {
  if (typeof answer !== 'string' || !SIGNATURE_PATTERN.test(answer)) {
    throw new SigningError(`The wallet's answer is not a signature: ${String(answer)}`);
  }
  const digits = answer.slice(2).toLowerCase();
  const recovery = Number.parseInt(digits.slice(128), 16);
  const v = recoveryOf(recovery);
  if (v === undefined) throw new SigningError(`The wallet answered with v = ${recovery}`);
  const read: SignatureHex = { r: `0x${digits.slice(0, 64)}`, s: `0x${digits.slice(64, 128)}`, v };
  const signature = isLowS(read) ? read : mirrored(read);
  const recovered = recoverSigner(digest, signature);
  if (recovered === signer) return signature;
  throw new SigningError(`The wallet signed as ${recovered ?? 'unknown'}, not as ${signer}`);
}

/** The same signature in the only form that the venue takes, `s` in the lower half. */
function mirrored({ r, s, v }: SignatureHex): SignatureHex {
  const lowS = HALF_ORDER * 2n + 1n - BigInt(s);
  return { r, s: `0x${lowS.toString(16).padStart(64, '0')}`, v: v === 27 ? 28 : 27 };
}

/** The address that a wallet names, in lower case. */
export function readAddress(text: string): Address {
  const lower = text.toLowerCase();
  if (/^0x[0-9a-f]{40}$/.test(lower)) return address(lower);
  throw new SigningError(`Not an address: ${text}`);
}

/** The chain that a wallet names: a number, or a text such as `0x1`. */
export function readChainId(answer: unknown): number {
  const chainId = Number(answer);
  if (Number.isSafeInteger(chainId) && chainId > 0) return chainId;
  throw new SigningError(`The wallet did not name a chain: ${String(answer)}`);
}
