import { describe, expect, test } from 'vitest';
import { fits, nextStepOf, type PayoutFacts, TRANSITIONS } from './payout-facts.ts';

const VALUES: { readonly [Name in keyof PayoutFacts]: readonly PayoutFacts[Name][] } = {
  of: ['this bridge', 'another bridge, signed', 'another bridge, unsigned'],
  onBridge: ['none', 'queued', 'paid', 'cancelled'],
  goal: ['payout', 'cancellation'],
  reported: ['nothing', 'paid', 'cancelled'],
  transaction: ['none', 'under way', 'unconfirmed', 'failed'],
  queued: ['not', 'as another payout', 'and waits', 'and is due'],
  isPayable: [true, false],
};

const ALL = Object.entries(VALUES).reduce<readonly object[]>(
  (made, [name, values]) =>
    made.flatMap((facts) =>
      (values as readonly unknown[]).map((each) => ({ ...facts, [name]: each })),
    ),
  [{}],
) as readonly PayoutFacts[];

const stepsWhere = (when: Partial<PayoutFacts>) =>
  new Set(ALL.filter((facts) => fits(facts, when)).map((facts) => nextStepOf(facts)));

const HERE = { of: 'this bridge' } as const;

describe("R-withdraw: a payout's next step follows from the facts", () => {
  test('every combination of facts has a step, and every row of the table is used', () => {
    expect(ALL).toHaveLength(3 * 4 * 2 * 3 * 4 * 4 * 2);
    const used = new Set(ALL.map((facts) => TRANSITIONS.find(([when]) => fits(facts, when))));
    expect(used).toEqual(new Set(TRANSITIONS));
  });

  test('a payout is settled only with the result that the bridge reports', () => {
    for (const facts of ALL) {
      const step = nextStepOf(facts);
      if (step === 'settle as paid') expect(facts.onBridge).toBe('paid');
      if (step === 'settle as cancelled') expect(facts.onBridge).toBe('cancelled');
    }
  });

  test('a result reported to the engine is never contradicted', () => {
    expect(stepsWhere({ ...HERE, reported: 'paid' })).not.toContain('settle as cancelled');
    expect(stepsWhere({ ...HERE, reported: 'cancelled' })).not.toContain('settle as paid');
    expect(
      stepsWhere({ ...HERE, onBridge: 'none', reported: 'paid', goal: 'payout' }),
    ).not.toContain('wait for the fund');
  });

  test('nothing is sent while a transaction is pending, or after the bridge has ended the payout', () => {
    const sending = ['pay', 'finish', 'cancel'];
    for (const when of [
      { transaction: 'under way' },
      { onBridge: 'none', transaction: 'unconfirmed' },
      { onBridge: 'paid' },
      { onBridge: 'cancelled' },
      { of: 'another bridge, signed' },
      { of: 'another bridge, unsigned' },
    ] as const) {
      for (const step of stepsWhere(when))
        expect(sending, JSON.stringify(when)).not.toContain(step);
    }
  });

  test('a payout that has to be cancelled is never paid', () => {
    const steps = stepsWhere({ ...HERE, goal: 'cancellation' });
    expect(steps).not.toContain('pay');
    expect(steps).not.toContain('finish');
    expect(steps).toContain('cancel');
  });
});
