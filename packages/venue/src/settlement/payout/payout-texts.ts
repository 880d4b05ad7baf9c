import { PAUSED, type Refusal, REFUSED } from '@oddlot/custody/bridge-contract';

/** What users and operators read of a payout that does not get on. */
export const TEXTS = {
  unavailable: 'The settlement chain does not answer',
  disagrees: 'Endpoints of the settlement chain contradict each other',
  unsent: 'The transaction could not be sent yet',
  noKey: 'The venue has no key to send payouts',
  paused: 'The bridge is paused',
  balance: 'The USDC balance of the bridge is currently too low',
  deficit: 'Payouts are on hold until the insurance fund has recovered',
  foreign: 'Payouts are stopped: the bridge has made a payout that this venue did not request',
  otherBridge: 'The payout was signed for another bridge; the operator has to settle it manually',
  otherPayout:
    'The bridge has another payout with this number; the operator has to settle it manually',
  noProof: 'The bridge reports this as paid, but no transaction shows it',
  cancelled: 'The payout was cancelled on the bridge',
  refusedForGood: 'The token rejects transfers to this destination',
  tokenStill: 'The token currently transfers nothing out of the bridge',
  invalidForGood: 'The bridge cannot pay this amount to this destination',
  paidAfterReturn: 'The payout was made although it had been returned: the chain was reorganised',
  lost: 'The chain was reorganised below its confirmations; the payout is sent again',
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
      return 'The bridge did not accept the payout';
    default:
      return `The bridge rejects the payout with code ${refusal}`;
  }
}

export function waitsText(payableAtMs: number): string {
  return `Large payouts are delayed: this one is payable at ${new Date(payableAtMs).toISOString()}`;
}
