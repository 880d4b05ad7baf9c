import type { HolderTerm } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { State } from '../state/state.ts';

/**
 * R-terms: judges the term of a command. A number above the highest of its lease begins that term; a
 * lower number, or the same number by another holder, is refused. This is the fence against a
 * process that was suspended while another took over its lease.
 */
export function takeTerm(state: State, term: HolderTerm): Reject | undefined {
  const { digest, terms } = state;
  const { holder, lease, number } = term;
  const current = terms.get(lease);
  if (current?.number === number && current.holder === holder) return undefined;
  const currentNumber = termOf(state, lease);
  if (!Number.isSafeInteger(number) || number <= currentNumber) {
    return { reason: 'termOver', lease, number, current: currentNumber };
  }
  terms.set(lease, { number, holder });
  digest.text(`term ${lease} ${holder}`);
  digest.number(number);
  return undefined;
}

/** The number of the current term of a lease; 0 before the first. */
export function termOf({ terms }: State, lease: string): number {
  return terms.get(lease)?.number ?? 0;
}
