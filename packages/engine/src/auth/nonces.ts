import type { Address } from '@oddlot/units';
import { scrambledText } from '../collections/effects-digest.ts';
import { LIMITS } from '../messages/limits.ts';
import type { NonceBounds, Reject } from '../messages/reject.ts';
import type { SignerNonces } from '../state/permissions.ts';
import type { State } from '../state/state.ts';

// Constants of this module are known to the compiler; imported ones would be read each time.
const { nonceAgeMs, nonceAheadMs, noncesPerSigner } = LIMITS;
/** Of a signer with so many nonces the address is kept as the digest takes it; of all it would take room. */
const OFTEN = 16;

/** Between which nonces the clock alone lets one pass. */
export function nonceWindow({ beganMs }: Pick<State, 'beganMs'>, timeMs: number): NonceBounds {
  return {
    minExclusive: Math.max(timeMs - nonceAgeMs, beganMs),
    maxExclusive: timeMs + nonceAheadMs,
  };
}

/**
 * Judges a nonce by time alone: it must be younger than two days and at most one ahead, and from after the
 * log began. What was signed before that was for an earlier venue of the same name.
 */
export function checkNonceWindow(
  state: Pick<State, 'beganMs'>,
  nonce: number,
  timeMs: number,
): Reject | undefined {
  const { maxExclusive, minExclusive } = nonceWindow(state, timeMs);
  if (nonce > minExclusive && nonce < maxExclusive) return undefined;
  const isOld = nonce <= timeMs - nonceAgeMs;
  if (isOld) return { reason: 'nonceTooOld', minExclusive, maxExclusive };
  if (nonce >= maxExclusive) return { reason: 'nonceTooNew', minExclusive, maxExclusive };
  return { reason: 'nonceBeforeLog', minExclusive, maxExclusive };
}

/** Judges a nonce by what its signer used before, if anything. */
export function checkNonceFresh(
  record: SignerNonces | undefined,
  nonce: number,
): Reject | undefined {
  if (record === undefined) return undefined;
  const { used } = record;
  // The case of nearly every command: a nonce above all before it, and above the floor.
  if (nonce > largestOf(record)) return undefined;
  if (used.includes(nonce)) return { reason: 'nonceUsed' };
  const smallest = used.length >= noncesPerSigner ? (used[0] ?? 0) : 0;
  const floor = Math.max(smallest, record.floor);
  if (floor > 0 && nonce <= floor) return { reason: 'nonceTooLow', floor };
  return undefined;
}

/** Keeps a nonce, in the signer's record; what the clock would refuse anyway is dropped. */
export function useNonce(
  state: State,
  signer: Address,
  nonce: number,
  record = signerRecord(state, signer),
): void {
  const { used } = record;
  let at = used.length;
  while (at > 0 && (used[at - 1] ?? 0) > nonce) at--;
  if (at === used.length) used.push(nonce);
  else used.splice(at, 0, nonce);
  const oldest = state.timeMs - nonceAgeMs;
  while (used.length > noncesPerSigner || (used[0] ?? Infinity) <= oldest) used.shift();
  absorbSigner(state, signer, record);
  state.digest.number(nonce);
}

function absorbSigner({ digest }: State, signer: Address, record: SignerNonces): void {
  if (record.scrambled === undefined && record.used.length >= OFTEN) {
    record.scrambled = scrambledText(signer);
  }
  if (record.scrambled === undefined) digest.text(signer);
  else digest.scrambled(record.scrambled);
}

/** Makes everything that an address signed so far worthless, for any owner. */
export function raiseNonceFloor(state: State, signer: Address): void {
  const record = signerRecord(state, signer);
  record.floor = Math.max(largestOf(record), state.timeMs);
  record.isRevokedAgent = true;
}

/**
 * True of an address that was an agent and is none, as long as something that it signed could count.
 * A record that the clock has overtaken and the next sweep will take is as good as gone.
 */
export function isFormerAgent(state: State, address: Address): boolean {
  const record = state.signers.get(address);
  return record?.isRevokedAgent === true && !isOver(state, record);
}

/** Forgets signers of whom the clock alone refuses all they ever signed. Runs once an hour. */
export function sweepSigners(state: State): void {
  if (state.timeMs - state.signersSweptMs < LIMITS.signerSweepMs) return;
  state.signersSweptMs = state.timeMs;
  for (const [signer, record] of state.signers) {
    if (isOver(state, record)) state.signers.delete(signer);
  }
}

/** The clock alone refuses all that the record tells of. */
function isOver(state: State, record: SignerNonces): boolean {
  return largestOf(record) <= state.timeMs - nonceAgeMs;
}

/** Of what was used and the floor. */
function largestOf({ floor, used }: SignerNonces): number {
  return Math.max(used[used.length - 1] ?? 0, floor);
}

function signerRecord(state: State, signer: Address): SignerNonces {
  let record = state.signers.get(signer);
  if (record === undefined) {
    record = { used: [], floor: 0, isRevokedAgent: false, scrambled: undefined };
    state.signers.set(signer, record);
  }
  return record;
}
