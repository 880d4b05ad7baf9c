import { beforeEach, describe, expect, test } from 'vitest';
import {
  ALICE,
  UNPRIVILEGED_KEY,
  BOB,
  BridgeWorld,
  CAROL,
  CODES,
  DELAY_SECONDS,
  GUARDIAN,
  HOSTILE,
  LARGE_USD,
  MINTER,
  payoutOf,
  refused,
  VALIDATORS,
} from '@oddlot/testing/contracts/bridge-world';

const STATE = { none: 0, queued: 1, paid: 2, cancelled: 3 };

let world: BridgeWorld;

beforeEach(async () => {
  world = await BridgeWorld.open();
  await world.fill(10n * LARGE_USD);
});

describe('R-withdraw: the bridge pays out when there are enough signatures', () => {
  test('a payout is sent to its destination immediately and only once', async () => {
    const payout = payoutOf(7n);
    const { withdrawalId, user, destination, usd } = payout;
    expect(await world.read('stateOf', [7n])).toBe(STATE.none);
    const first = await world.payOut(payout);
    expect(first.events).toEqual([
      { name: 'Paid', args: { withdrawalId, user, destination, usd } },
    ]);
    expect(await world.balanceOf(BOB.address)).toBe(usd);
    expect(await world.read('paid', [7n])).toBe(true);
    expect(await world.read('paid', [8n])).toBe(false);
    expect(await world.read('stateOf', [7n])).toBe(STATE.paid);
    expect((await world.payOut(payout)).error).toBe(refused('ALREADY_PAID'));
    const other = payoutOf(7n, { destination: CAROL.address, usd: 1n });
    expect((await world.payOut(other)).error).toBe(refused('ALREADY_PAID'));
    expect((await world.cancel(7n)).error).toBe(refused('ALREADY_PAID'));
  });

  test('a payout needs at least the threshold number of signatures', async () => {
    const one = await world.payOut(payoutOf(1n), VALIDATORS.slice(0, 1));
    expect(one.error).toBe(refused('TOO_FEW_SIGNATURES'));
    expect((await world.payOut(payoutOf(1n), VALIDATORS.slice(1))).ok).toBe(true);
    expect((await world.payOut(payoutOf(2n), VALIDATORS)).ok).toBe(true);
  });

  test.each([
    ['nothing', () => ({ usd: 0n })],
    ['the zero address', () => ({ destination: `0x${'0'.repeat(40)}` as const })],
    ['the bridge', () => ({ destination: world.bridge.address })],
    ['the token', () => ({ destination: world.token.address })],
    ['the zero account', () => ({ user: `0x${'0'.repeat(40)}` as const })],
  ])('a payout of, to or for %s is rejected regardless of the signatures', async (_, rest) => {
    expect((await world.payOut(payoutOf(1n, rest()))).error).toBe(refused('INVALID_REQUEST'));
  });

  test("a payout that exceeds the bridge's balance is rejected until the funds are available", async () => {
    const poor = await BridgeWorld.open();
    await poor.fill(4_999_999n);
    expect((await poor.payOut(payoutOf(1n))).error).toBe(refused('TRANSFER_FAILED'));
    expect(await poor.read('stateOf', [1n])).toBe(STATE.none);
    await poor.fill(1n);
    expect((await poor.payOut(payoutOf(1n))).ok).toBe(true);
    expect(await poor.balanceOf(poor.bridge.address)).toBe(0n);
  });

  test('a payout to an address on the token blacklist fails and can be cancelled', async () => {
    await world.tokenCall(MINTER, 'blacklist', [BOB.address]);
    expect((await world.payOut(payoutOf(1n))).error).toBe(refused('TRANSFER_FAILED'));
    expect(await world.read('stateOf', [1n])).toBe(STATE.none);
    expect((await world.cancel(1n)).events).toEqual([
      { name: 'Cancelled', args: { withdrawalId: 1n } },
    ]);
    await world.tokenCall(MINTER, 'unBlacklist', [BOB.address]);
    expect((await world.payOut(payoutOf(1n))).error).toBe(refused('ALREADY_CANCELLED'));
    expect(await world.balanceOf(BOB.address)).toBe(0n);
  });
});

describe('payouts can be sent in batches', () => {
  async function batch(payouts: readonly ReturnType<typeof payoutOf>[], gas?: bigint) {
    const signatures = await Promise.all(payouts.map((payout) => world.signPayout(payout)));
    return world.call(UNPRIVILEGED_KEY, 'batchPayOut', [payouts, signatures], gas);
  }

  test('a batch makes the valid payouts and reports the others', async () => {
    await world.tokenCall(MINTER, 'blacklist', [CAROL.address]);
    await world.payOut(payoutOf(1n));
    await world.cancel(2n);
    const large = payoutOf(6n, { usd: LARGE_USD });
    const payouts = [
      payoutOf(1n),
      payoutOf(2n),
      payoutOf(3n),
      payoutOf(3n),
      payoutOf(4n, { destination: CAROL.address }),
      payoutOf(5n, { usd: 0n }),
      large,
      large,
      payoutOf(7n),
    ];
    const { ok, events } = await batch(payouts);
    expect(ok).toBe(true);
    expect(events.map(({ name, args }) => [name, args['withdrawalId'], args['code']])).toEqual([
      ['PayoutFailed', 1n, CODES.ALREADY_PAID],
      ['PayoutFailed', 2n, CODES.ALREADY_CANCELLED],
      ['Paid', 3n, undefined],
      ['PayoutFailed', 3n, CODES.ALREADY_PAID],
      ['PayoutFailed', 4n, CODES.TRANSFER_FAILED],
      ['PayoutFailed', 5n, CODES.INVALID_REQUEST],
      ['Queued', 6n, undefined],
      ['PayoutFailed', 6n, CODES.ALREADY_QUEUED],
      ['Paid', 7n, undefined],
    ]);
    expect(await world.balanceOf(BOB.address)).toBe(3n * 5_000_000n);
    expect(await world.read('stateOf', [4n])).toBe(STATE.none);
  });

  test('payouts in a batch fail individually if their signatures are invalid', async () => {
    const signatures = await world.signPayout(payoutOf(1n));
    const args = [
      [payoutOf(1n), payoutOf(2n), payoutOf(3n)],
      [signatures, signatures, []],
    ];
    const { events } = await world.call(UNPRIVILEGED_KEY, 'batchPayOut', args);
    expect(events.map(({ name, args: told }) => [name, told['code']])).toEqual([
      ['Paid', undefined],
      ['PayoutFailed', CODES.NOT_A_VALIDATOR],
      ['PayoutFailed', CODES.TOO_FEW_SIGNATURES],
    ]);
  });

  test("a batch reverts if a payout's list of signatures is missing", async () => {
    const { error } = await world.call(UNPRIVILEGED_KEY, 'batchPayOut', [[payoutOf(1n)], []]);
    expect(error).toBe(refused('INVALID_REQUEST'));
  });

  test('a caller cannot make a valid payout fail by sending too little gas', async () => {
    const name = 'batchPayOut';
    const args = [[payoutOf(1n)], [await world.signPayout(payoutOf(1n))]];
    const outcomes = new Set<string>();
    for (let gas = 40_000n; gas <= 300_000n; gas += 10_000n) {
      const tried = await world.evm.undone(() => world.call(UNPRIVILEGED_KEY, name, args, gas));
      outcomes.add(tried.error ?? tried.events.map((event) => event.name).join());
    }
    // The first result is for a signature whose verification runs out of gas.
    const reverts = ['revert', 'out of gas', refused('NOT_ENOUGH_GAS')];
    expect([...outcomes]).toEqual([...reverts, 'Paid']);
  });
});

describe('large payouts are delayed', () => {
  const large = payoutOf(1n, { usd: LARGE_USD });

  test('a large payout is queued, and any account can pay it after the delay', async () => {
    const payableAt = BigInt(world.evm.timeSeconds + DELAY_SECONDS);
    const { withdrawalId, user, destination, usd } = large;
    expect((await world.payOut(large)).events).toEqual([
      { name: 'Queued', args: { withdrawalId, user, destination, usd, payableAt } },
    ]);
    expect(await world.read('queued', [1n])).toEqual([user, usd, destination, payableAt]);
    expect(await world.read('stateOf', [1n])).toBe(STATE.queued);
    expect((await world.payOut(large)).error).toBe(refused('ALREADY_QUEUED'));
    world.evm.timeSeconds += DELAY_SECONDS - 1;
    expect((await world.call(UNPRIVILEGED_KEY, 'finish', [1n])).error).toBe(refused('TOO_EARLY'));
    expect(await world.balanceOf(BOB.address)).toBe(0n);
    world.evm.timeSeconds += 1;
    expect((await world.call(UNPRIVILEGED_KEY, 'finish', [1n])).events).toEqual([
      { name: 'Paid', args: { withdrawalId, user, destination, usd } },
    ]);
    expect(await world.balanceOf(BOB.address)).toBe(LARGE_USD);
    expect((await world.call(UNPRIVILEGED_KEY, 'finish', [1n])).error).toBe(refused('NOT_QUEUED'));
    expect((await world.call(GUARDIAN, 'cancelQueued', [1n])).error).toBe(refused('NOT_QUEUED'));
  });

  test('a payout one unit below the limit is made immediately', async () => {
    const { events } = await world.payOut(payoutOf(1n, { usd: LARGE_USD - 1n }));
    expect(events.map(({ name }) => name)).toEqual(['Paid']);
  });

  test.each([
    ['the guardian', () => world.call(GUARDIAN, 'cancelQueued', [1n])],
    ['the validators', () => world.cancel(1n)],
  ])('%s can cancel a queued payout, even during a pause', async (_, cancel) => {
    await world.payOut(large);
    await world.call(GUARDIAN, 'pause');
    expect((await cancel()).events).toEqual([{ name: 'Cancelled', args: { withdrawalId: 1n } }]);
    await world.call(GUARDIAN, 'unpause');
    world.evm.timeSeconds += DELAY_SECONDS;
    expect((await world.call(UNPRIVILEGED_KEY, 'finish', [1n])).error).toBe(refused('NOT_QUEUED'));
    expect((await world.payOut(large)).error).toBe(refused('ALREADY_CANCELLED'));
    expect((await world.cancel(1n)).error).toBe(refused('ALREADY_CANCELLED'));
    expect(await world.read('stateOf', [1n])).toBe(STATE.cancelled);
    expect(await world.balanceOf(BOB.address)).toBe(0n);
  });

  test('other accounts cannot cancel a queued payout, and the guardian can cancel only queued ones', async () => {
    await world.payOut(large);
    for (const key of [UNPRIVILEGED_KEY, ALICE, VALIDATORS[0] ?? UNPRIVILEGED_KEY]) {
      const { error } = await world.call(key, 'cancelQueued', [1n]);
      expect(error).toBe(refused('NOT_THE_GUARDIAN'));
    }
    expect((await world.call(GUARDIAN, 'cancelQueued', [2n])).error).toBe(refused('NOT_QUEUED'));
    const few = await world.cancel(1n, VALIDATORS.slice(0, 1));
    expect(few.error).toBe(refused('TOO_FEW_SIGNATURES'));
  });

  test('a queued payout stays queued if its transfer fails', async () => {
    await world.payOut(large);
    await world.tokenCall(MINTER, 'blacklist', [BOB.address]);
    world.evm.timeSeconds += DELAY_SECONDS;
    expect((await world.call(UNPRIVILEGED_KEY, 'finish', [1n])).error).toBe(
      refused('TRANSFER_FAILED'),
    );
    expect(await world.read('stateOf', [1n])).toBe(STATE.queued);
    await world.tokenCall(MINTER, 'unBlacklist', [BOB.address]);
    expect((await world.call(UNPRIVILEGED_KEY, 'finish', [1n])).ok).toBe(true);
  });
});

describe('the bridge tolerates a misbehaving token', () => {
  let hostile: BridgeWorld;

  beforeEach(async () => {
    hostile = await BridgeWorld.open({ isHostile: true });
    await hostile.fill(100_000_000n);
    await hostile.fund(ALICE, 100_000_000n);
    await hostile.tokenCall(ALICE, 'approve', [hostile.bridge.address, 100_000_000n]);
  });

  /**
   * The expected errors of a payout and of a deposit for each behaviour of the token; undefined for
   * success.
   */
  const MODES = [
    ['ReturnNothing', undefined, undefined],
    ['ReturnFalse', refused('TRANSFER_FAILED'), `SafeERC20FailedOperation(`],
    ['Lie', refused('WRONG_AMOUNT'), refused('WRONG_AMOUNT')],
    ['TakeFee', undefined, refused('WRONG_AMOUNT')],
    ['TakeMore', refused('WRONG_AMOUNT'), undefined],
    ['BurnTransfers', refused('TRANSFER_FAILED'), 'revert'],
  ] as const;

  test.each(MODES)(
    'a token with behaviour %s leads to payout result %s and deposit result %s',
    async (mode, payoutError, depositError) => {
      await hostile.tokenCall(UNPRIVILEGED_KEY, 'setMode', [HOSTILE[mode]]);
      const before = await hostile.balanceOf(hostile.bridge.address);
      const paid = await hostile.payOut(payoutOf(1n));
      expect(paid.error).toBe(payoutError);
      const deposit = await hostile.call(ALICE, 'deposit', [5_000_000n]);
      if (depositError === undefined) expect(deposit.error).toBe(undefined);
      else expect(deposit.error?.startsWith(depositError)).toBe(true);
      const out = payoutError === undefined ? 5_000_000n : 0n;
      const into = depositError === undefined ? 5_000_000n : 0n;
      expect(await hostile.balanceOf(hostile.bridge.address)).toBe(before - out + into);
      const state = payoutError === undefined ? STATE.paid : STATE.none;
      expect(await hostile.read('stateOf', [1n])).toBe(state);
    },
  );
});
