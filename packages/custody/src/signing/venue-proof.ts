import { createHash } from 'node:crypto';
import { type Hex, type LocalAccount, recoverMessageAddress } from 'viem';

/**
 * How a validator knows its venue: each request carries a signature by the relayer's key, whose address the validator's
 * operator has configured. Nothing secret has to be carried from one machine to the other. A request that somebody
 * repeats asks for what was asked for, so it carries no time.
 */

export const PROOF_HEADER = 'x-oddlot-venue';

export async function proofOf(account: LocalAccount, body: string): Promise<Hex> {
  return await account.signMessage({ message: messageOf(body) });
}

/** Whether it can be one at all, which costs nothing to see. */
export function isProofShaped(proof: unknown): proof is Hex {
  return typeof proof === 'string' && /^0x[0-9a-f]{130}$/.test(proof);
}

export async function isProof(
  proof: string | undefined,
  { body, by }: { readonly body: string; readonly by: string },
): Promise<boolean> {
  if (!isProofShaped(proof)) return false;
  try {
    const message = messageOf(body);
    return (await recoverMessageAddress({ message, signature: proof })).toLowerCase() === by;
  } catch {
    // Numbers that are no signature of anybody.
    return false;
  }
}

function messageOf(body: string): string {
  const digest = createHash('sha256').update(body).digest('hex');
  return `Oddlot asks a validator to sign: ${digest}`;
}
