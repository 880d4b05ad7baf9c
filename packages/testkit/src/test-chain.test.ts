import { afterAll, beforeAll, expect, test } from 'vitest';
import { startVenue } from './start-venue.ts';
import type { TestVenue } from './test-venue.ts';

let venue: TestVenue;
beforeAll(async () => {
  venue = await startVenue({ chain: true, accounts: 0 });
});
afterAll(() => venue.stop());

const inVenue = async ({ address: user, client }: TestVenue['admin']) =>
  (await client.info.clearinghouseState({ user })).withdrawable;

test('a deposit is credited, can be used for trading, and can be withdrawn to the chain', async () => {
  const alice = await venue.account('alice', {});
  expect(await inVenue(alice)).toBe('0');
  await venue.deposit(alice, '250.5');
  expect(await inVenue(alice)).toBe('250.5');
  expect(await venue.chain.balanceOf(alice.address)).toBe('0');
  await alice.client.exchange.withdraw3({ destination: alice.address, amount: '100' });
  const isPaid = async () => (await venue.chain.balanceOf(alice.address)) !== '0';
  await venue.chain.until(isPaid, 'the withdrawal is paid');
  // The withdrawal fee is deducted (R-withdraw).
  expect(await venue.chain.balanceOf(alice.address)).toBe('99.9');
});

test('a deposit on an abandoned branch is not credited until it is mined again, and then only once', async () => {
  const bob = await venue.account('bob', {});
  const { chain } = venue;
  await chain.mint(bob.address, '70');
  await chain.transferToBridge(bob, '40');
  await venue.faults.reorganiseChain(1);
  expect(await chain.balanceOf(bob.address)).toBe('70');
  // When another account's deposit is credited, the venue has read the new branch.
  const carol = await venue.account('carol', {});
  await venue.deposit(carol, '5');
  expect(await inVenue(bob)).toBe('0');
  await chain.transferToBridge(bob, '40');
  await venue.faults.reorganiseChain(1, { rest: 'pool' });
  await chain.until(async () => (await inVenue(bob)) !== '0', 'the deposit is credited');
  await venue.deposit(carol, '5');
  expect([await inVenue(bob), await inVenue(carol)]).toEqual(['40', '10']);
});

test('a restart loses no pending transfer', async () => {
  const dave = await venue.account('dave', {});
  await venue.chain.mint(dave.address, '30');
  await venue.chain.transferToBridge(dave, '30');
  await venue.restart({ isKilled: true });
  await venue.chain.until(async () => (await inVenue(dave)) === '30', 'the deposit is credited');
});

test('accessing the chain of a venue that has none throws a clear error', async () => {
  await using plain = await startVenue({ accounts: 0 });
  expect(() => plain.chain).toThrow('Start it with { chain: true }');
  await expect(plain.faults.reorganiseChain(1)).rejects.toThrow('this venue has no chain');
});
