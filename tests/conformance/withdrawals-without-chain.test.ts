import { beforeEach, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import { direct, expectNothing } from '../support/keys.ts';

const world = aSharedVenue();
const WHY = 'this venue has no settlement chain';
let alice: Actor;
beforeEach(async () => {
  alice = await world.trader('alice');
});

test('R-withdraw: withdraw3 is rejected and leaves the balance unchanged', async () => {
  const withdrawal = direct(alice, 'withdraw3', { destination: alice.address, amount: '100' });
  await expectNothing([alice], withdrawal, {
    code: 10001,
    name: 'NOT_ALLOWED',
    message: 'This action is not allowed.',
    details: { why: WHY },
  });
  const rows = { type: 'withdrawals', user: alice.address };
  expect(await world.client.data(rows)).toEqual([]);
});

test('an amount that is invalid on every venue is rejected because of the amount', async () => {
  const withdrawal = direct(alice, 'withdraw3', { destination: alice.address, amount: '1' });
  const { json } = await world.client.executed(await withdrawal);
  expect(json.message).toBe('Below minimum withdraw amount');
});

test('a simulation rejects a withdrawal just as /exchange does', async () => {
  const action = { type: 'withdraw3', destination: alice.address, amount: '100' };
  const answer = await world.client.data({ type: 'simulate', user: alice.address, action });
  expect(answer).toMatchObject({
    accepted: false,
    error: { code: 10001, name: 'NOT_ALLOWED', details: { why: WHY } },
    margin: { withdrawable: '1000' },
  });
});

test('deposits by permit and on-chain test USDC are rejected', async () => {
  const signature = { r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, v: 27 };
  const deadline = String(Math.floor(Date.now() / 1_000) + 3_600);
  const permit = { type: 'depositWithPermit', user: alice.address, usd: '5000000' };
  const refused = await world.client.info({ ...permit, deadline, signature });
  expect(refused).toMatchObject({ status: 403, json: { code: 10001, details: { why: WHY } } });
  const grant = await world.client.post('/request-fund', { user: alice.address, onChain: true });
  expect(grant).toMatchObject({ status: 400, json: { code: 10002 } });
});
