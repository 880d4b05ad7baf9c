/**
 * What is done about a withdrawal next, by what is known of it (R-withdraw). The bridge at confirmed depth decides; what
 * the venue has sent or told the engine only says how to get to the end that is right.
 *
 *     held ──sign──▶ signed ──send──▶ none on the bridge ──▶ paid ──▶ settled
 *                                       │        └─▶ queued ──▶ paid        (large ones wait there)
 *                                       └────────────────┴──▶ cancelled ──▶ returned
 */

export type PayoutFacts = {
  /** Which bridge its record is of: another one only after the venue was given a new one. */
  readonly of: 'this bridge' | 'another bridge, signed' | 'another bridge, unsigned';
  readonly onBridge: 'none' | 'queued' | 'paid' | 'cancelled';
  /** How it ends if it is up to the venue. */
  readonly wanted: 'payout' | 'cancellation';
  /** What the engine was told before the chain lost it again: no other end is right any more. */
  readonly told: 'nothing' | 'paid' | 'cancelled';
  readonly transaction: 'none' | 'under way' | 'unconfirmed' | 'failed';
  /** Of one that is queued on the bridge. */
  readonly queued: 'not' | 'as another payout' | 'and waits' | 'and is due';
  /** False while the insurance fund is too deep below zero for payouts (R-deficit). */
  readonly isPayable: boolean;
};

type PayoutStep =
  | 'leave to the operator of the other bridge'
  | 'take to this bridge'
  | 'report paid after return'
  | 'report another payout'
  | 'settle as paid'
  | 'settle as cancelled'
  | 'wait for the transaction'
  | 'wait for its block'
  | 'note the refusal'
  | 'wait until it is due'
  | 'wait for the fund'
  | 'pay'
  | 'finish'
  | 'cancel';

type Row = readonly [when: Partial<PayoutFacts>, step: PayoutStep];

/** The first row that fits tells the step. */
export const TRANSITIONS: readonly Row[] = [
  [{ of: 'another bridge, signed' }, 'leave to the operator of the other bridge'],
  [{ of: 'another bridge, unsigned' }, 'take to this bridge'],

  [{ onBridge: 'paid', told: 'cancelled' }, 'report paid after return'],
  [{ onBridge: 'paid' }, 'settle as paid'],

  [{ onBridge: 'cancelled', told: 'paid' }, 'report another payout'],
  [{ onBridge: 'cancelled' }, 'settle as cancelled'],

  [{ onBridge: 'queued', queued: 'as another payout' }, 'report another payout'],
  [{ onBridge: 'queued', transaction: 'under way' }, 'wait for the transaction'],
  [{ onBridge: 'queued', wanted: 'cancellation' }, 'cancel'],
  [{ onBridge: 'queued', queued: 'and is due' }, 'finish'],
  [{ onBridge: 'queued' }, 'wait until it is due'],

  [{ transaction: 'under way' }, 'wait for the transaction'],
  [{ transaction: 'unconfirmed' }, 'wait for its block'],
  [{ transaction: 'failed', wanted: 'payout' }, 'note the refusal'],
  [{ wanted: 'cancellation' }, 'cancel'],
  [{ isPayable: true }, 'pay'],
  // What the engine has settled as paid is owed, whatever became of the fund since.
  [{ told: 'paid' }, 'pay'],
  [{}, 'wait for the fund'],
];

export function nextStepOf(facts: PayoutFacts): PayoutStep {
  const fitting = TRANSITIONS.find(([when]) => fits(facts, when));
  if (fitting === undefined) throw new Error(`no step for ${JSON.stringify(facts)}`);
  return fitting[1];
}

export function fits(facts: PayoutFacts, when: Partial<PayoutFacts>): boolean {
  return Object.entries(when).every(([name, value]) => facts[name as keyof PayoutFacts] === value);
}
