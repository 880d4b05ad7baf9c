import { beforeEach, expect, test } from 'vitest';
import { FIRST_ID, OutcomeVenue } from '@oddlot/testing/venue/outcome-venue';
import { ALICE, BOB, CAROL } from '@oddlot/testing/venue/ws/test-venue';

let world: OutcomeVenue;
beforeEach(() => {
  world = new OutcomeVenue();
  world.list('rain');
  world.fund(ALICE, BOB, CAROL);
});

const holders = (fields: object = {}) =>
  world.data('outcomeHolders', { instrumentId: FIRST_ID, ...fields });

test('holders are sorted by size with their average cost, and accounts with only orders are omitted', () => {
  world.mint(ALICE, BOB, 0.6, 100);
  world.mint(CAROL, BOB, 0.5, 150);
  world.shares(ALICE, { leg: 'no', price: 0.1, size: 10 });
  expect(holders()).toEqual({
    instrumentId: FIRST_ID,
    coin: `OUTCOME-${FIRST_ID}`,
    outcome: 'Yes',
    holders: 2,
    shares: '250',
    rows: [
      { user: CAROL, sz: '150', entryPx: '0.5' },
      { user: ALICE, sz: '100', entryPx: '0.6' },
    ],
    nextCursor: null,
    time: world.nowMs,
  });
  expect(holders({ outcome: 'No' })).toMatchObject({
    holders: 1,
    shares: '250',
    rows: [{ user: BOB, sz: '250', entryPx: '0.46' }],
  });
});

test('equal holders are sorted by account age, and a page starts after the last holder', () => {
  for (const buyer of [CAROL, ALICE]) world.mint(buyer, BOB, 0.5, 10);
  const first = holders({ limit: 1 });
  expect(first).toMatchObject({ holders: 2, rows: [{ user: ALICE }] });
  const { nextCursor: cursor } = first;
  expect(holders({ limit: 1, cursor })).toMatchObject({
    rows: [{ user: CAROL }],
    nextCursor: null,
  });
  for (const other of [{ cursor, outcome: 'No' }, { cursor: 'x' }, { cursor: 'W10' }]) {
    const asked = { instrumentId: FIRST_ID, ...other };
    expect(world.refusal('outcomeHolders', asked)[1]).toBe('Invalid cursor');
  }
});

test('settled markets and markets without trades have no holders, and unknown ones are rejected', () => {
  const nobody = { holders: 0, shares: '0', rows: [], nextCursor: null };
  expect(holders()).toMatchObject(nobody);
  world.mint(ALICE, BOB, 0.6, 100);
  world.resolve(1);
  expect(holders()).toMatchObject(nobody);
  const [code] = world.refusal('outcomeHolders', { instrumentId: 7 });
  expect(code).toBe(world.refusal('outcomeResolution', { instrumentId: 7 })[0]);
});
