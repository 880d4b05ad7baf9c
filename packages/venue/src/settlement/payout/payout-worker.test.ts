import { microUsdc } from '@oddlot/units';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CONFIRMATIONS, DESTINATIONS, PayoutWorld } from '../../testing/payout-world.ts';
import { TEXTS } from './payout-texts.ts';

/** Single cases of what histories mix: what a payout waits for, and what it must not be taken for. */

let world: PayoutWorld;

beforeEach(async () => {
  world = await PayoutWorld.model(2);
  await world.mint(1_000_000n);
  await world.chain.mine();
});

afterEach(async () => {
  expect(world.problems).toEqual([]);
  await world.close();
});

/** Rounds and blocks; a second passes with each. */
async function live(rounds = CONFIRMATIONS + 2): Promise<void> {
  for (let n = 0; n < rounds; n++) {
    await world.round();
    await world.chain.mine();
    world.nowMs += 1_000;
  }
}

const stateOf = (id: number) => world.worker.progressOf(id);
const isOpen = (id: number) => world.replica.state.withdrawals.has(id);

test('several go in one transaction, and one that the token refuses holds back no other', async () => {
  await world.list('blacklist', DESTINATIONS[1]!);
  await world.chain.mine();
  for (const to of [0, 1, 2]) world.withdraw(0, to, 10);
  await live();
  expect([1, 2, 3].map(isOpen)).toEqual([false, true, false]);
  expect(stateOf(1)?.txHash).toBe(stateOf(3)?.txHash);
  expect(stateOf(2)).toMatchObject({ status: 'sent', error: TEXTS.refusedForGood });
  expect(await world.balanceOf(DESTINATIONS[0]!)).toBe(9_900_000n);
  expect(await world.balanceOf(DESTINATIONS[1]!)).toBe(0n);
});

test('one that the token takes again in time is paid after all', async () => {
  await world.list('blacklist', DESTINATIONS[0]!);
  await world.chain.mine();
  world.withdraw(0, 0, 10);
  await live();
  await world.list('unBlacklist', DESTINATIONS[0]!);
  await live(20);
  expect(world.settled.get(1)).toBe(true);
});

test('R-withdraw: nothing is returned before the cancellation has all its confirmations', async () => {
  await world.list('blacklist', DESTINATIONS[0]!);
  await world.chain.mine();
  world.withdraw(0, 0, 10);
  await live();
  world.nowMs += 200_000;
  await world.round();
  await world.chain.mine();
  expect(await world.stateOf(1)).toBe(3);
  await world.round();
  expect(isOpen(1)).toBe(true);
  expect(stateOf(1)).toMatchObject({ status: 'sent', error: TEXTS.refusedForGood });
  await live(CONFIRMATIONS);
  expect(world.settled.get(1)).toBe(false);
});

test('what somebody else has sent is found with its transaction', async () => {
  world.validatorFaults.fill('down');
  world.withdraw(0, 0, 10);
  await world.round();
  expect(stateOf(1)).toMatchObject({ status: 'held', error: '0 of 2 validators signed' });
  expect(world.worker.status.troubled[0]?.detail).toContain('connection refused');
  await world.payAsStranger(1);
  world.nowMs += 60_000;
  await live();
  expect(world.settled.get(1)).toBe(true);
  expect(stateOf(1)?.txHash).toMatch(/^0x[0-9a-f]{64}$/);
});

test('another payout under the same number settles nothing', async () => {
  world.withdraw(0, 0, 10);
  await world.payAsStranger(1, { usd: 5n });
  await world.chain.mine();
  await live(10);
  world.nowMs += 100_000;
  await live(10);
  expect(isOpen(1)).toBe(true);
  expect(stateOf(1)?.error).toBe(TEXTS.otherPayout);
});

test('what was signed for another bridge is not signed for this one', async () => {
  world.withdraw(0, 0, 10);
  await world.round();
  expect(stateOf(1)?.status).toBe('sent');
  const other = `"bridge":"0x${'9'.repeat(40)}"`;
  world.forget((text) => text.replaceAll(/"bridge":"0x[0-9a-f]{40}"/g, other));
  await live();
  expect(isOpen(1)).toBe(true);
  expect(stateOf(1)?.error).toBe(TEXTS.otherBridge);
});

test('without a key nothing is sent and everybody is told; what others pay is still seen', async () => {
  world.hasKey = false;
  await world.kill(0);
  world.withdraw(0, 0, 10);
  await world.round();
  expect(stateOf(1)).toMatchObject({ status: 'held', error: TEXTS.noKey });
  await world.payAsStranger(1);
  await live();
  expect(world.settled.get(1)).toBe(true);
});

test('R-deficit: while the fund is deep in deficit nothing is paid', async () => {
  const { replica } = world;
  const [fund] = replica.state.accounts;
  const before = fund!.perpBalance;
  fund!.perpBalance = microUsdc(-100_000_000_000n);
  world.withdraw(0, 0, 10);
  await live();
  expect(stateOf(1)).toMatchObject({ status: 'held', error: TEXTS.deficit });
  fund!.perpBalance = before;
  await live();
  expect(world.settled.get(1)).toBe(true);
});
