import { Address } from '@oddlot/protocol';
import { type Hex, type LocalAccount, recoverMessageAddress } from 'viem';
import { z } from 'zod';
import type { BridgeDomain, Signed, ValidatorRequest } from './bridge-signatures.ts';
import { createHash } from 'node:crypto';

/**
 * The protocol between a venue and a validator process. The response to `POST /sign` has status 200
 * with a signature, or another status with a `message`. The contract's integers are decimal text.
 */

const UINT64_MAX = 2n ** 64n - 1n;
const Uint64 = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,19})$/)
  .transform(BigInt)
  .refine((value) => value <= UINT64_MAX);
const Uint256 = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/)
  .transform(BigInt);
const REASON_CHARACTERS_MAX = 200;

const place = { chainId: z.int().min(1), bridge: Address, withdrawalId: Uint64, user: Address };
export const SignRequest = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('payout'),
    ...place,
    destination: Address,
    usd: Uint64,
  }),
  z.strictObject({
    type: z.literal('cancellation'),
    ...place,
    reason: z.string().max(REASON_CHARACTERS_MAX),
  }),
]);
export type SignRequest = z.infer<typeof SignRequest>;

export const SignAnswer = z.object({ validator: Address, r: Uint256, s: Uint256, v: z.int() });
export const SignRefusal = z.object({ message: z.string() });

export function signBody({ bridge, chainId }: BridgeDomain, request: ValidatorRequest): object {
  const { type } = request;
  if (type === 'payout') {
    const { destination, usd, user, withdrawalId } = request.payout;
    const amounts = { withdrawalId: String(withdrawalId), usd: String(usd) };
    return { type, chainId, bridge, ...amounts, user, destination };
  }
  const { reason, user, withdrawalId } = request;
  const shortened = reason.slice(0, REASON_CHARACTERS_MAX);
  return { type, chainId, bridge, withdrawalId: String(withdrawalId), user, reason: shortened };
}

export function requestOf(asked: SignRequest): ValidatorRequest {
  const { withdrawalId } = asked;
  const user = asked.user as Hex;
  if (asked.type === 'cancellation') {
    return { type: 'cancellation', withdrawalId, user, reason: asked.reason };
  }
  const destination = asked.destination as Hex;
  return { type: 'payout', payout: { withdrawalId, user, destination, usd: asked.usd } };
}

export function signedBody({ address, signature: { r, s, v } }: Signed): object {
  return { validator: address, r: String(r), s: String(s), v };
}

/**
 * Authenticates the venue. Each request carries a signature by the relayer's key, whose address the
 * validator's operator has configured, so no secret has to be copied between machines. The signed
 * text includes no timestamp, because replaying a request only yields the same signature again.
 */

export const PROOF_HEADER = 'x-oddlot-venue';

export async function proofOf(account: LocalAccount, body: string): Promise<Hex> {
  return await account.signMessage({ message: messageOf(body) });
}

/** Checks only the format; this is cheap and precedes verifying the signature. */
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
    // The signature is malformed.
    return false;
  }
}

function messageOf(body: string): string {
  const digest = createHash('sha256').update(body).digest('hex');
  return `Oddlot asks a validator to sign: ${digest}`;
}
