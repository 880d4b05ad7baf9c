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
  1: 'it waits already',
  2: 'it was paid already',
  3: 'it was cancelled',
  4: 'the contract does not take these values',
  5: 'too few validators signed',
  6: 'a signature is not good',
  7: 'somebody signed who is no validator',
  8: 'signatures are not in the order of their signers',
  9: 'the token refused the transfer',
  10: 'it does not wait',
  11: 'its time has not come',
  15: 'the nonce is another by now; prepare it again',
  16: 'the key is not the guardian’s',
  17: 'the set of validators could not decide, or one is in it twice',
  18: 'the token moved another amount',
  19: 'there was too little gas',
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
    return `${REFUSALS[code] ?? 'refused'} (code ${code})`;
  } catch {
    return 'the contract refused it without saying why';
  }
}
