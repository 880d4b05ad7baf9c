import { describe, expect, test } from 'vitest';
import type { Command } from '../messages/command.ts';
import type { FundingPaid } from '../messages/event.ts';
import { alice, bob, carol, PERP, Scenario, START_MS } from '@oddlot/testing/engine/scenario';

/** The attacks in this file target the funding of honest holders and last one hour each. */

const HOUR = 3_600_000;
const SAMPLE_MS = 5_000;
const ID = PERP.instrumentId;
/** The funding payment on 1,000 USDC for an hour in which only the interest is paid. */
const INTEREST = -12_500n;

/** Opens a long at 100 for alice and a short for bob; carol attacks. */
function holders(size = 1_000): Scenario {
  const venue = Scenario.open({ accounts: [alice, bob], funds: 100_000_000_000 });
  venue.one(alice, { price: 1_000_000, size });
  venue.one(bob, { isBuy: false, price: 1_000_000, size });
  return venue;
}

/** Runs until the hour is paid, with an attack at each sample; returns alice's funding. */
function hour(
  venue: Scenario,
  attack: { readonly before: () => void; readonly at: () => readonly Command[] },
): readonly bigint[] {
  const amounts: bigint[] = [];
  while (venue.nowMs < START_MS + HOUR) {
    venue.wait(SAMPLE_MS - 1).oracle(1_000_000);
    attack.before();
    venue.wait(1);
    const { events } = venue.block(...attack.at());
    amounts.push(...events.filter(isAlices).map(({ amount }) => amount));
  }
  return amounts;
}

function isAlices(event: { type: string }): event is FundingPaid {
  return event.type === 'fundingPaid' && (event as FundingPaid).account === alice;
}

describe('R-fillable, R-funding: attacks on funding have almost no effect', () => {
  test('F1: an order that cannot fill contributes nothing to the premium', () => {
    const venue = holders();
    venue.fund(carol, 640_000_000);
    venue.one(bob, { price: 990_000, size: 100 });
    const unfillable = { price: 1_700_000, size: 6_000 };
    const paid = hour(venue, {
      before: () => venue.one(carol, unfillable),
      at: () => [],
    });
    expect(paid).toEqual([INTEREST]);
    expect(venue.balance(carol)).toBe(640_000_000n);
  });

  test('F2: a valid bid for one millisecond at each sample contributes almost nothing', () => {
    const venue = holders();
    venue.fund(carol, 100_000_000_000);
    venue.one(bob, { price: 999_000, size: 100 });
    venue.one(bob, { isBuy: false, price: 1_030_000, size: 100 });
    let orderId = 0;
    const paid = hour(venue, {
      before: () => {
        orderId = venue.one(carol, { price: 1_020_000, size: 6_000 }).orderId ?? 0;
      },
      // In a block with a sample, cancels are executed after the sample is taken.
      at: () => [
        {
          type: 'cancelOrders',
          authority: venue.authority(carol),
          cancels: [{ instrumentId: ID, orderId }],
        },
      ],
    });
    expect(paid).toEqual([INTEREST]);
  });

  test('F3: orders in a closing hour contribute nothing to the premium, whatever the oracle', () => {
    const venue = holders(10_000);
    venue.one(bob, { price: 990_000, size: 100 });
    venue.wait(SAMPLE_MS).oracle(1_000_000);
    venue.block({ type: 'setPerp', instrumentId: ID, delisted: true, changes: {} });
    const { samples } = venue.state.perps.get(ID)!.funding;
    // The mark is an average that follows the oracle slowly, so it stays above the oracle.
    venue.wait(SAMPLE_MS).oracle(900_000);
    venue.one(bob, { reduceOnly: true, price: 980_000, size: 10_000 });
    for (let at = 0; at < HOUR / 2; at += SAMPLE_MS) venue.wait(SAMPLE_MS).oracle(900_000);
    expect(venue.state.perps.get(ID)!.funding).toMatchObject({ samples, sum: 0n });
    expect(venue.state.perps.get(ID)!.mark).toBeGreaterThan(900_000);
  });
});
