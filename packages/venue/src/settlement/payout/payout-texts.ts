import { PAUSED, type Refusal, REFUSED } from '@oddlot/custody/bridge-contract';

/** What users and operators read of a payout that does not get on. */
export const TEXTS = {
  unavailable: 'The settlement chain does not answer',
  disagrees: 'Endpoints of the settlement chain contradict each other',
  unsent: 'Its transaction could not be sent yet',
  noKey: 'The venue has no key to send payouts with',
  paused: 'The bridge is paused',
  balance: 'The bridge holds too little USDC at the moment',
  deficit: 'Payouts wait until the insurance fund has recovered',
  foreign: 'Payouts are stopped: the bridge has paid what this venue did not ask for',
  otherBridge: 'It was signed for another bridge; the operator has to settle it by hand',
  otherPayout:
    'The bridge has another payout under this number; the operator has to settle it by hand',
  noProof: 'The bridge says that it has paid this, and no transaction shows it',
  cancelled: 'It was cancelled on the bridge',
  refusedForGood: 'The token refuses transfers to this destination',
  tokenStill: 'The token moves nothing out of the bridge at the moment',
  invalidForGood: 'The bridge cannot pay this amount to this destination',
  paidAfterReturn: 'It was paid although it had been returned: the chain was reorganised',
  lost: 'The chain was reorganised below its confirmations; it is sent again',
} as const;

/** Why the bridge would not take it just now. */
export function refusalText(refusal: Refusal): string {
  switch (refusal) {
    case PAUSED:
      return TEXTS.paused;
    case REFUSED.transfer:
      return TEXTS.refusedForGood;
    case REFUSED.invalid:
      return TEXTS.invalidForGood;
    case undefined:
      return 'The bridge did not take it';
    default:
      return `The bridge refuses it with code ${refusal}`;
  }
}

export function waitsText(payableAtMs: number): string {
  return `Large payouts wait: it is payable from ${new Date(payableAtMs).toISOString()} on`;
}
