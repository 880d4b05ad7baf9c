import { encodePacked, type Hex, keccak256 } from 'viem';

/** Ids from here on are of payouts that no withdrawal asked for; the venue's withdrawals count up from 1 below. */
export const RETURN_ID_MIN = 1n << 63n;

/**
 * The payout that returns a deposit which was kept aside. The id follows from the deposit alone, so that the
 * contract, which pays an id once, returns it once, whoever prepares it and how often (R-deposit).
 */
export function returnIdOf(txHash: Hex, logIndex: number): bigint {
  return idOf(encodePacked(['bytes32', 'uint256'], [txHash, BigInt(logIndex)]));
}

/** The payout that moves money to the bridge that follows: of an amount, once. */
export function moveIdOf(bridge: Hex, usd: bigint): bigint {
  return idOf(encodePacked(['string', 'address', 'uint64'], ['move', bridge, usd]));
}

function idOf(what: Hex): bigint {
  return RETURN_ID_MIN | (BigInt(keccak256(what)) & (RETURN_ID_MIN - 1n));
}
