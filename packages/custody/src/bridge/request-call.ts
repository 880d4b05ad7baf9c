import { BRIDGE_ABI } from '@oddlot/contracts';
import { encodeFunctionData, type Hex, parseSignature } from 'viem';
import type { BridgeRequest } from './bridge-request.ts';

const LOWEST_V = 27;

/** The call that does it; signatures in the order of their signers. */
export function requestCall(request: BridgeRequest, ordered: readonly Hex[]): Hex {
  const signatures = ordered.map((text) => {
    const { r, s, yParity } = parseSignature(text);
    return { r: BigInt(r), s: BigInt(s), v: LOWEST_V + yParity };
  });
  const encode = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: BRIDGE_ABI, functionName, args } as never);
  if (request.primaryType === 'Rotation') {
    const { guardian, nonce, threshold, validators } = request.message;
    return encode('rotate', [validators, BigInt(threshold), guardian, BigInt(nonce), signatures]);
  }
  if (request.primaryType === 'Unpause') {
    return encode('unpauseBySignatures', [BigInt(request.message.nonce), signatures]);
  }
  if (request.primaryType === 'Cancellation') {
    return encode('cancel', [BigInt(request.message.withdrawalId), signatures]);
  }
  const { destination, usd, user, withdrawalId } = request.message;
  const payout = { withdrawalId: BigInt(withdrawalId), user, destination, usd: BigInt(usd) };
  return encode('payOut', [payout, signatures]);
}
