import { encodePacked, type Hex, keccak256 } from 'viem';

/** Ids from here on are returns of deposits; the venue's own withdrawals count up from 1 below. */
export const RETURN_ID_MIN = 1n << 63n;

/**
 * The payout that returns a deposit which was kept aside. The id follows from the deposit alone, so that the
 * contract, which pays an id once, returns it once, whoever prepares it and how often (R-deposit).
 */
export function returnIdOf(txHash: Hex, logIndex: number): bigint {
  const place = encodePacked(['bytes32', 'uint256'], [txHash, BigInt(logIndex)]);
  return RETURN_ID_MIN | (BigInt(keccak256(place)) & (RETURN_ID_MIN - 1n));
}
