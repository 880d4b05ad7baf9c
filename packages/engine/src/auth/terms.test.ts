import { describe, expect, test } from 'vitest';
import { dump, restore } from '../dump/dump.ts';
import type { Command, HolderTerm } from '../messages/command.ts';
import { alice, Scenario } from '@oddlot/testing/engine/scenario';
import { termOf } from './authorize.ts';

const A = 'replica a';
const B = 'replica b';
const AMOUNT = 1_000_000;

function grant(term?: HolderTerm): Command {
  const plain = { type: 'creditFaucet', account: alice, subAccount: 'perp' } as const;
  return { ...plain, amountMicroUsdc: AMOUNT, ...(term === undefined ? {} : { term }) };
}

function of(number: number, holder = A, lease = 'settlement'): HolderTerm {
  return { lease, number, holder };
}

function accepted(venue: Scenario, ...terms: readonly (HolderTerm | undefined)[]): boolean[] {
  return terms.map((term) => venue.block(grant(term)).outcomes[0]?.reject === undefined);
}

describe('R-terms: only the holder of the current term may send commands', () => {
  test.each([
    { title: 'the same term', terms: [of(1), of(1)], executed: [true, true] },
    { title: 'a later term', terms: [of(1), of(2, B)], executed: [true, true] },
    { title: 'a term that skips numbers', terms: [of(1), of(9, B)], executed: [true, true] },
    { title: 'an older term', terms: [of(1), of(2, B), of(1)], executed: [true, true, false] },
    {
      title: 'the same number of another holder',
      terms: [of(1), of(1, B)],
      executed: [true, false],
    },
    { title: 'a number below 1', terms: [of(0), of(-1), of(0.5)], executed: [false, false, false] },
    { title: 'another lease', terms: [of(2), of(1, B, 'oracle')], executed: [true, true] },
    { title: 'no term', terms: [of(2), undefined], executed: [true, true] },
  ])('commands are executed only in the current term: $title', ({ executed, terms }) => {
    expect(accepted(Scenario.open({ accounts: [alice] }), ...terms)).toEqual(executed);
  });

  test('a command of an expired term changes nothing, and its rejection includes both terms', () => {
    const venue = Scenario.open({ accounts: [alice] });
    accepted(venue, of(1), of(2, B));
    const before = dump(venue.state);
    const { events, outcomes } = venue.block(grant(of(1)));
    const reject = { reason: 'termOver', lease: 'settlement', number: 1, current: 2 };
    expect(outcomes).toEqual([{ reject }]);
    expect(events).toEqual([]);
    const { accounts, deposited, terms } = dump(venue.state);
    expect({ accounts, deposited, terms }).toEqual({
      accounts: before.accounts,
      deposited: before.deposited,
      terms: before.terms,
    });
  });

  test('a term applies to the commands that follow in its block', () => {
    const venue = Scenario.open({ accounts: [alice] });
    const { outcomes } = venue.block(grant(of(1)), grant(of(2, B)), grant(of(1)), grant(of(2, B)));
    expect(outcomes.map(({ reject }) => reject?.reason)).toEqual([
      undefined,
      undefined,
      'termOver',
      undefined,
    ]);
  });

  test('a term begins with its first command, even if that command is rejected', () => {
    const venue = Scenario.open({ accounts: [alice] });
    const { outcomes } = venue.block({ type: 'registerPegs', addresses: [], term: of(3) });
    expect(outcomes[0]?.reject?.reason).toBe('definitionInvalid');
    expect(termOf(venue.state, 'settlement')).toBe(3);
  });

  test('terms are included in the digest and preserved by a dump', () => {
    const [one, other] = [A, B].map((holder) => {
      const venue = Scenario.open({ accounts: [alice] });
      accepted(venue, of(1, holder), of(4, holder, 'oracle'));
      return venue.state;
    });
    expect(dump(one!).digest).not.toEqual(dump(other!).digest);
    const restored = restore(JSON.parse(JSON.stringify(dump(one!))));
    expect([...restored.terms].toSorted()).toEqual([...one!.terms].toSorted());
    expect(termOf(restored, 'oracle')).toBe(4);
  });
});
