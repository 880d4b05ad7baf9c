import { microUsdc } from '@oddlot/units';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CONTRACTS } from '@oddlot/testing/venue/payout-people';
import {
  CONFIRMATIONS,
  DESTINATIONS,
  CONVERGE_MS_MAX,
  PayoutWorld,
} from '@oddlot/testing/venue/payout-world';
import { TEXTS } from './payout-book.ts';

/** These tests cover individual cases that the random histories combine. */

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

/** Runs the worker in rounds; after each round, a block is mined and a second passes. */
async function live(rounds = CONFIRMATIONS + 2): Promise<void> {
  for (let n = 0; n < rounds; n++) {
    await world.round();
    await world.chain.mine();
    world.nowMs += 1_000;
  }
}

const stateOf = (id: number) => world.worker.progressOf(id);
const isOpen = (id: number) => world.replica.state.withdrawals.has(id);

test('several payouts share one transaction, and a payout refused by the token does not delay the others', async () => {
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

test('batches needing more gas than endpoints can estimate are split', async () => {
  const PAYOUTS = 40;
  world.faults.fill('tires');
  for (let n = 0; n < PAYOUTS; n += 1) world.withdraw(0, n % 3, 10);
  await live(40);
  const ids = Array.from({ length: PAYOUTS }, (_, at) => at + 1);
  expect(ids.filter(isOpen)).toEqual([]);
  const transactions = new Set(ids.map((id) => stateOf(id)?.txHash));
  // The payouts are sent in batches, not individually.
  expect(transactions.size).toBeGreaterThan(1);
  expect(transactions.size).toBeLessThan(PAYOUTS / 2);
});

test('a refused payout is paid if the token accepts it again within the time limit', async () => {
  await world.list('blacklist', DESTINATIONS[0]!);
  await world.chain.mine();
  world.withdraw(0, 0, 10);
  await live();
  await world.list('unBlacklist', DESTINATIONS[0]!);
  await live(20);
  expect(world.settled.get(1)).toBe(true);
});

test('a payout whose cancellation the validators do not sign is paid when the token accepts it again', async () => {
  await world.list('blacklist', DESTINATIONS[0]!);
  await world.chain.mine();
  world.withdraw(0, 0, 10);
  await live();
  world.validatorFaults.fill('refuses');
  world.nowMs += 200_000;
  await live();
  expect(await world.stateOf(1)).toBe(0);
  expect(stateOf(1)).toMatchObject({
    error: TEXTS.refusedForGood,
    detail: expect.stringContaining('it knows no such withdrawal'),
  });
  await world.list('unBlacklist', DESTINATIONS[0]!);
  await world.chain.mine();
  world.nowMs += 60_000;
  await live(20);
  expect(world.settled.get(1)).toBe(true);
  expect(await world.balanceOf(DESTINATIONS[0]!)).toBe(9_900_000n);
});

test('R-withdraw: no withdrawal is cancelled if a token refuses all transfers', async () => {
  await world.list('blacklist', CONTRACTS.bridge);
  await world.chain.mine();
  world.withdraw(0, 0, 10);
  await live();
  world.nowMs += 200_000;
  await live();
  expect(await world.stateOf(1)).toBe(0);
  expect(stateOf(1)).toMatchObject({ error: TEXTS.tokenStill });
  await world.list('unBlacklist', CONTRACTS.bridge);
  await world.chain.mine();
  world.nowMs += 60_000;
  await live(20);
  expect(world.settled.get(1)).toBe(true);
});

test('R-withdraw: another withdrawal to a refused destination sends no payout and waits twice as long', async () => {
  await world.list('blacklist', DESTINATIONS[0]!);
  await world.chain.mine();
  const sent = (what: string): number =>
    world.relayer.keys().filter((key) => key.startsWith(`${what}:`)).length;
  const untilReturned = async (id: number): Promise<number> => {
    const fromMs = world.nowMs;
    for (let round = 0; round < 400 && !world.settled.has(id); round++) {
      await live(1);
      world.nowMs += 9_000;
    }
    expect(world.settled.get(id)).toBe(false);
    return world.nowMs - fromMs;
  };
  world.withdraw(0, 0, 10);
  const first = await untilReturned(1);
  expect([sent('payout'), sent('cancel')]).toEqual([1, 1]);
  world.withdraw(0, 0, 10);
  const second = await untilReturned(2);
  expect([sent('payout'), sent('cancel')]).toEqual([1, 2]);
  // The refusal also counts for another destination of the same account.
  await world.list('blacklist', DESTINATIONS[1]!);
  await world.chain.mine();
  world.withdraw(0, 1, 10);
  const third = await untilReturned(3);
  expect([sent('payout'), sent('cancel')]).toEqual([1, 3]);
  expect(second).toBeGreaterThanOrEqual(first + CONVERGE_MS_MAX - 30_000);
  expect(third).toBeGreaterThanOrEqual(second + 2 * CONVERGE_MS_MAX - 30_000);
  // Payouts that were never refused are not delayed.
  world.withdraw(1, 2, 10);
  await live();
  expect(world.settled.get(4)).toBe(true);
});

test('R-withdraw: withdrawals sent together to a refused destination are returned one after another at growing intervals', async () => {
  await world.list('blacklist', DESTINATIONS[0]!);
  await world.chain.mine();
  const startMs = world.nowMs;
  for (const person of [0, 1, 2]) world.withdraw(person, 0, 10);
  const returnedMs: number[] = [];
  for (let round = 0; round < 400 && returnedMs.length < 3; round++) {
    await live(1);
    world.nowMs += 9_000;
    const returned = [1, 2, 3].filter((id) => world.settled.has(id)).length;
    while (returnedMs.length < returned) returnedMs.push(world.nowMs - startMs);
  }
  const [first = 0, second = 0, third = 0] = returnedMs;
  expect(second - first).toBeGreaterThanOrEqual(2 * CONVERGE_MS_MAX - 30_000);
  expect(third - second).toBeGreaterThanOrEqual(4 * CONVERGE_MS_MAX - 30_000);
  expect([1, 2, 3].map((id) => world.settled.get(id))).toEqual([false, false, false]);
});

test('R-withdraw: no withdrawal is returned before its cancellation is fully confirmed', async () => {
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

test('a payout sent by another account is found, along with its transaction', async () => {
  world.validatorFaults.fill('down');
  world.withdraw(0, 0, 10);
  await world.round();
  expect(stateOf(1)).toMatchObject({ status: 'held', error: '0 of 2 validators signed' });
  expect(world.worker.status.troubled[0]?.detail).toContain('connection refused');
  await world.payAsThirdParty(1);
  await live(20);
  expect(world.settled.get(1)).toBe(true);
  expect(stateOf(1)?.txHash).toMatch(/^0x[0-9a-f]{64}$/);
});

test('a different payout with the same number does not settle the withdrawal', async () => {
  world.withdraw(0, 0, 10);
  await world.payAsThirdParty(1, { usd: 5n });
  await world.chain.mine();
  await live(10);
  world.nowMs += 100_000;
  await live(10);
  expect(isOpen(1)).toBe(true);
  expect(stateOf(1)?.error).toBe(TEXTS.otherPayout);
});

test('many payouts that cannot be paid do not delay those that can', async () => {
  await world.list('blacklist', DESTINATIONS[1]!);
  await world.chain.mine();
  for (let n = 0; n < 110; n++) world.withdraw(0, 1, 2);
  for (let n = 0; n < 5; n++) world.withdraw(1, 0, 2);
  await live(6);
  expect(await world.balanceOf(DESTINATIONS[0]!)).toBe(5n * 1_900_000n);
  expect(world.replica.state.withdrawals.size).toBe(110);
  const { open, troubled } = world.worker.status;
  expect([open, troubled.length]).toEqual([110, 100]);
});

test('a payout signed for another bridge is not signed for this one', async () => {
  world.withdraw(0, 0, 10);
  await world.round();
  expect(stateOf(1)?.status).toBe('sent');
  const other = `"bridge":"0x${'9'.repeat(40)}"`;
  world.forget((line) => line.replaceAll(/"bridge":"0x[0-9a-f]{40}"/g, other));
  await live();
  expect(isOpen(1)).toBe(true);
  expect(stateOf(1)?.error).toBe(TEXTS.otherBridge);
});

test('without a key no payout is sent and each payout reports this, but payouts by other senders are still detected', async () => {
  world.hasKey = false;
  await world.kill(0);
  world.withdraw(0, 0, 10);
  await world.round();
  expect(stateOf(1)).toMatchObject({ status: 'held', error: TEXTS.noKey });
  await world.payAsThirdParty(1);
  await live();
  expect(world.settled.get(1)).toBe(true);
});

test('R-deficit: no withdrawal is paid while the insurance fund has a large deficit', async () => {
  const { replica } = world;
  const [fund] = replica.state.accounts;
  const before = fund!.perpBalance;
  fund!.perpBalance = microUsdc(-100_000_000_000n);
  world.withdraw(0, 0, 10);
  await live();
  expect(stateOf(1)).toMatchObject({ status: 'held', error: TEXTS.deficit });
  fund!.perpBalance = before;
  await live(20);
  expect(world.settled.get(1)).toBe(true);
});

test("a replaced validator's signatures are requested again from the remaining validators", async () => {
  const real = await PayoutWorld.real(1);
  try {
    await real.mint(1_000_000n);
    await real.chain.mine();
    real.withdraw(0, 0, 10);
    await real.round();
    expect(real.worker.progressOf(1)?.status).toBe('sent');
    const sent = real.relayer.waiting()[0]?.attempts[0]?.txHash;
    await real.chain.drop(sent!);
    await real.rotate();
    await real.chain.mine();
    let error: string | undefined = undefined;
    for (let n = 0; n < 20 && real.replica.state.withdrawals.size > 0; n++) {
      await real.round();
      error ??= real.worker.progressOf(1)?.error;
      await real.chain.mine();
      real.nowMs += 5_000;
    }
    expect(error).toBe('The bridge rejects the payout with code 7');
    expect(real.settled.get(1)).toBe(true);
    expect(await real.balanceOf(DESTINATIONS[0]!)).toBe(9_900_000n);
  } finally {
    await real.close();
  }
});

/**
 * `npm run test:long` kills the process at every call. Other runs kill it at every fourth call,
 * with a different offset for each kind of withdrawal.
 */
const EVERY = process.env['TEST_LONG'] === undefined ? 4 : 1;

/**
 * Kills the process after an increasing number of calls, until it survives to the end of a
 * withdrawal.
 */
async function killedAtEveryCall(from: number, usdc: number, isRefused: boolean): Promise<number> {
  for (let calls = EVERY === 1 ? 0 : from; ; calls += EVERY) {
    const each = await PayoutWorld.model(1);
    try {
      await each.mint(1_000_000n);
      if (isRefused) await each.list('blacklist', DESTINATIONS[0]!);
      await each.chain.mine();
      each.withdraw(0, 0, usdc);
      each.killAfter(calls);
      let isKilled = false;
      for (let n = 0; n < 60 && each.replica.state.withdrawals.size > 0; n++) {
        await each.round();
        if (each.isDead) each.revive();
        isKilled ||= each.lives > 0;
        await each.chain.mine();
        each.nowMs += 15_000;
      }
      const fee = 100_000n;
      const due = isRefused ? 0n : BigInt(usdc) * 1_000_000n - fee;
      expect(each.problems).toEqual([]);
      expect([calls, each.settled.get(1)]).toEqual([calls, !isRefused]);
      expect(await each.balanceOf(DESTINATIONS[0]!)).toBe(due);
      if (!isKilled) return calls;
    } finally {
      await each.close();
    }
  }
}

test.each([
  ['a payout', 0, 10, false],
  ['a large payout', 1, 150_000, false],
  ['a cancelled payout', 2, 10, true],
])(
  'R-withdraw: %s survives a kill before and after every call',
  async (_, from, usdc, isRefused) => {
    expect(await killedAtEveryCall(from, usdc, isRefused)).toBeGreaterThan(40);
  },
);
