import type { Address } from '@oddlot/units';
import { scrambledText } from '../collections/effects-digest.ts';
import { LIMITS } from '../messages/limits.ts';
import type { NonceBounds, Reject } from '../messages/reject.ts';
import type { SignerNonces } from '../state/permissions.ts';
import type { State } from '../state/state.ts';

// The compiler inlines constants defined in this module; imported constants would be read on every
// use.
const { nonceAgeMs, nonceAheadMs, noncesPerSigner } = LIMITS;
/**
 * The addresses of signers with more nonces than this are cached in digest form; caching every
 * signer would take too much memory.
 */
const CACHED_FROM = 16;

/** Returns the bounds within which nonces are valid at the given time. */
export function nonceWindow({ beganMs }: Pick<State, 'beganMs'>, timeMs: number): NonceBounds {
  return {
    minExclusive: Math.max(timeMs - nonceAgeMs, beganMs),
    maxExclusive: timeMs + nonceAheadMs,
  };
}

/**
 * Checks a nonce by time alone: it must be less than two days old, at most one day ahead, and later
 * than the start of the log. Actions from before the start were signed for an earlier venue with
 * the same name.
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

export function checkNonceFresh(
  record: SignerNonces | undefined,
  nonce: number,
): Reject | undefined {
  if (record === undefined) return undefined;
  const { used } = record;
  // Nearly every nonce exceeds all earlier ones and the nonce floor.
  if (nonce > largestOf(record)) return undefined;
  if (used.includes(nonce)) return { reason: 'nonceUsed' };
  const smallest = used.length >= noncesPerSigner ? (used[0] ?? 0) : 0;
  const floor = Math.max(smallest, record.floor);
  if (floor > 0 && nonce <= floor) return { reason: 'nonceTooLow', floor };
  return undefined;
}

/** Records a nonce of the signer and removes nonces that are too old to be valid. */
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
  if (record.scrambled === undefined && record.used.length >= CACHED_FROM) {
    record.scrambled = scrambledText(signer);
  }
  if (record.scrambled === undefined) digest.text(signer);
  else digest.scrambled(record.scrambled);
}

/** Invalidates all actions that an address has signed so far, for any owner. */
export function raiseNonceFloor(state: State, signer: Address): void {
  const record = signerRecord(state, signer);
  record.floor = Math.max(largestOf(record), state.timeMs);
  record.isRevokedAgent = true;
}

/**
 * Returns true for a revoked agent while one of its signed actions could still be valid. A record
 * that the next sweep will remove is ignored.
 */
export function isFormerAgent(state: State, address: Address): boolean {
  const record = state.signers.get(address);
  return record?.isRevokedAgent === true && !isOver(state, record);
}

export function sweepSigners(state: State): void {
  if (state.timeMs - state.signersSweptMs < LIMITS.signerSweepMs) return;
  state.signersSweptMs = state.timeMs;
  for (const [signer, record] of state.signers) {
    if (isOver(state, record)) state.signers.delete(signer);
  }
}

function isOver(state: State, record: SignerNonces): boolean {
  return largestOf(record) <= state.timeMs - nonceAgeMs;
}

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
