import { BRIDGE_ABI } from '@oddlot/contracts';
import { decodeErrorResult, type Hex } from 'viem';

/** A command that was written wrongly. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the operator asked for cannot be done; nothing was changed by it. */
export class BridgeCommandError extends Error {
  override readonly name = 'BridgeCommandError';
}

/** A transaction was sent, and no block has it yet: it may still go through. */
export class NotMinedError extends Error {
  override readonly name = 'NotMinedError';
}

/** In the words of `Refusals.sol`. */
const REFUSALS: Readonly<Record<number, string>> = {
  1: 'the payout is already queued',
  2: 'the payout was already made',
  3: 'the payout was cancelled',
  4: 'the contract does not accept these values',
  5: 'too few validators signed',
  6: 'a signature is invalid',
  7: 'a signer is not a validator',
  8: 'the signatures are not sorted by signer',
  9: 'the token rejected the transfer',
  10: 'the payout is not queued',
  11: 'the payout is not due yet',
  15: 'the nonce has changed; prepare the request again',
  16: "the key is not the guardian's",
  17: 'the validator set is invalid: it cannot reach the threshold, or contains a duplicate',
  18: 'the token transferred a different amount',
  19: 'the transaction ran out of gas',
};
const PAUSES: Readonly<Record<string, string>> = {
  EnforcedPause: 'the bridge is paused',
  ExpectedPause: 'the bridge is not paused',
};

/** Why the contract refused a call. */
export function refusalText(data: string | undefined): string {
  try {
    const { args, errorName } = decodeErrorResult({ abi: BRIDGE_ABI, data: data as Hex });
    const code = Number(args?.[0]);
    if (errorName !== 'Refused') return PAUSES[errorName] ?? errorName;
    return `${REFUSALS[code] ?? 'rejected'} (code ${code})`;
  } catch {
    return 'the contract rejected the transaction without a reason';
  }
}
