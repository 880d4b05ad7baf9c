import { beforeEach, describe, expect, test } from 'vitest';
import {
  ALICE,
  UNPRIVILEGED_KEY,
  BOB,
  BridgeWorld,
  CAROL,
  CODES,
  HOSTILE,
  MINTER,
  refused,
  type CodeName,
} from '@oddlot/testing/contracts/bridge-world';
import type { DecodedEvent } from '@oddlot/testing/contracts/evm';
import type { Key } from '@oddlot/testing/contracts/keys';
import { signPermit, type Permit } from '@oddlot/testing/contracts/sign';

const USD = 10_000_000n;
/** Every signature (r, s) has a second form (r, order − s). */
const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

let world: BridgeWorld;

beforeEach(async () => {
  world = await BridgeWorld.open();
  for (const user of [ALICE, BOB, CAROL]) await world.fund(user, USD);
});

function sign(user: Key, rest: Partial<Parameters<typeof signPermit>[2]> = {}): Promise<Permit> {
  const place = { token: world.token, spender: world.bridge.address };
  return signPermit(world.evm, place, { user, usd: USD, ...rest });
}

function batch(...deposits: Permit[]) {
  return world.call(UNPRIVILEGED_KEY, 'batchedDepositWithPermit', [deposits]);
}

function deposited(user: Key, usd = USD): DecodedEvent {
  return { name: 'Deposit', args: { user: user.address, usd } };
}

function failed(user: string, usd: bigint, name: CodeName): DecodedEvent {
  return { name: 'FailedPermitDeposit', args: { user, usd, errorCode: CODES[name] } };
}

describe('deposits by permit can be sent in batches', () => {
  test('a batch deposits funds for users who pay no gas', async () => {
    const { ok, events } = await batch(await sign(ALICE), await sign(BOB));
    expect(ok).toBe(true);
    expect(events).toEqual([deposited(ALICE), deposited(BOB)]);
    expect(await world.balanceOf(world.bridge.address)).toBe(2n * USD);
    expect(await world.read('nextPermitNonce', [ALICE.address])).toBe(1n);
  });

  /** The defects of permits and the resulting failure codes. */
  const BAD: readonly [string, CodeName, () => Promise<Permit>][] = [
    ['of another signer', 'PERMIT_REFUSED', () => sign(ALICE, { signer: BOB })],
    ['of a nonce to come', 'PERMIT_REFUSED', () => sign(ALICE, { nonce: 1n })],
    [
      'for another amount',
      'PERMIT_REFUSED',
      async () => ({ ...(await sign(ALICE)), usd: USD - 1n }),
    ],
    [
      'with another deadline',
      'PERMIT_REFUSED',
      async () => ({ ...(await sign(ALICE)), deadline: BigInt(world.evm.timeSeconds + 9999) }),
    ],
    [
      'that is expired',
      'PERMIT_EXPIRED',
      () => sign(ALICE, { deadline: BigInt(world.evm.timeSeconds - 1) }),
    ],
    ['over nothing', 'INVALID_REQUEST', () => sign(ALICE, { usd: 0n })],
    [
      'of the zero address',
      'INVALID_REQUEST',
      async () => ({ ...(await sign(ALICE)), user: `0x${'0'.repeat(40)}` }),
    ],
    [
      'of the bridge',
      'INVALID_REQUEST',
      async () => ({ ...(await sign(ALICE)), user: world.bridge.address }),
    ],
    ['above the balance', 'TRANSFER_FAILED', () => sign(ALICE, { usd: USD + 1n })],
    [
      'with the other form of its signature',
      'PERMIT_REFUSED',
      async () => {
        const permit = await sign(ALICE);
        const { r, s, v } = permit.signature;
        return { ...permit, signature: { r, s: GROUP_ORDER - s, v: 55 - v } };
      },
    ],
    [
      'with a signature of zeros',
      'PERMIT_REFUSED',
      async () => ({ ...(await sign(ALICE)), signature: { r: 0n, s: 0n, v: 0 } }),
    ],
    [
      'of an address blocked by the token',
      'TRANSFER_FAILED',
      async () => {
        await world.tokenCall(MINTER, 'blacklist', [ALICE.address]);
        return sign(ALICE);
      },
    ],
  ];

  test.each(BAD)('a permit %s fails individually with %s', async (_, code, make) => {
    const bad = await make();
    const { ok, events } = await batch(await sign(BOB), bad, await sign(CAROL));
    expect(ok).toBe(true);
    expect(events).toEqual([deposited(BOB), failed(bad.user, bad.usd, code), deposited(CAROL)]);
    expect(await world.balanceOf(world.bridge.address)).toBe(2n * USD);
    expect(await world.balanceOf(ALICE.address)).toBe(USD);
  });

  test('a permit is valid in the last second of its deadline', async () => {
    const deadline = BigInt(world.evm.timeSeconds);
    const { events } = await batch(await sign(ALICE, { deadline }));
    expect(events).toEqual([deposited(ALICE)]);
  });
});

describe('a permit already submitted by another account does not block the deposit', () => {
  async function frontRun(permit: Permit): Promise<void> {
    const { user, usd, deadline, signature } = permit;
    const r = `0x${signature.r.toString(16).padStart(64, '0')}`;
    const s = `0x${signature.s.toString(16).padStart(64, '0')}`;
    const args = [user, world.bridge.address, usd, deadline, signature.v, r, s];
    await world.tokenCall(UNPRIVILEGED_KEY, 'permit', args);
  }

  test('a permit already submitted by another account still deposits once, through its allowance', async () => {
    const permit = await sign(ALICE);
    await frontRun(permit);
    const first = await batch(permit, await sign(BOB));
    expect(first.events).toEqual([deposited(ALICE), deposited(BOB)]);
    // New funds and an unrelated allowance do not make the used permit valid again.
    await world.fund(ALICE, USD);
    await world.tokenCall(ALICE, 'approve', [world.bridge.address, USD]);
    const second = await batch(permit);
    expect(second.events).toEqual([failed(ALICE.address, USD, 'PERMIT_ALREADY_USED')]);
    expect(await world.balanceOf(ALICE.address)).toBe(USD);
  });

  test('a permit is rejected after its deadline, and after another permit has replaced it', async () => {
    const permit = await sign(ALICE);
    await frontRun(permit);
    world.evm.timeSeconds += 3601;
    expect((await batch(permit)).events).toEqual([failed(ALICE.address, USD, 'PERMIT_EXPIRED')]);
    const second = await sign(ALICE);
    await frontRun(second);
    const third = await sign(ALICE);
    await frontRun(third);
    expect((await batch(second)).events).toEqual([failed(ALICE.address, USD, 'PERMIT_REFUSED')]);
    expect((await batch(third)).events).toEqual([deposited(ALICE)]);
  });

  test('a permit used by the bridge cannot be used again before its deadline', async () => {
    const permit = await sign(ALICE);
    await batch(permit);
    await world.fund(ALICE, USD);
    await world.tokenCall(ALICE, 'approve', [world.bridge.address, USD]);
    const twice = await batch(permit, permit);
    const refusal = failed(ALICE.address, USD, 'PERMIT_ALREADY_USED');
    expect(twice.events).toEqual([refusal, refusal]);
  });

  test('an allowance without a valid permit is not sufficient for a deposit', async () => {
    await world.tokenCall(ALICE, 'approve', [world.bridge.address, USD]);
    const invented = await sign(ALICE, { signer: BOB });
    expect((await batch(invented)).events).toEqual([failed(ALICE.address, USD, 'PERMIT_REFUSED')]);
    // The result is the same after the user has signed another permit, when the nonce is no longer
    // zero.
    await frontRun(await sign(ALICE, { usd: USD - 1n }));
    expect((await batch(invented)).events).toEqual([failed(ALICE.address, USD, 'PERMIT_REFUSED')]);
    expect(await world.balanceOf(ALICE.address)).toBe(USD);
  });

  test('a permit that failed for lack of funds deposits once after the account is funded', async () => {
    const permit = await sign(ALICE, { usd: 2n * USD });
    const poor = await batch(permit);
    expect(poor.events).toEqual([failed(ALICE.address, 2n * USD, 'TRANSFER_FAILED')]);
    await world.fund(ALICE, USD);
    expect((await batch(permit)).events).toEqual([deposited(ALICE, 2n * USD)]);
  });
});

describe('a batch with permits is protected against being sent too little gas', () => {
  test('sending a batch too little gas cannot make a valid permit fail', async () => {
    const name = 'batchedDepositWithPermit';
    const args = [[await sign(ALICE)]];
    const outcomes = new Set<string>();
    for (let gas = 40_000n; gas <= 700_000n; gas += 20_000n) {
      const tried = await world.evm.undone(() => world.call(UNPRIVILEGED_KEY, name, args, gas));
      outcomes.add(tried.error ?? tried.events.map((event) => event.name).join());
    }
    expect([...outcomes]).toEqual([refused('NOT_ENOUGH_GAS'), 'Deposit']);
  });

  test('a permit that consumes all its gas leaves enough gas for the others', async () => {
    const hostile = await BridgeWorld.open({ isHostile: true });
    const place = { token: hostile.token, spender: hostile.bridge.address };
    for (const user of [ALICE, BOB]) await hostile.fund(user, USD);
    await hostile.tokenCall(MINTER, 'setMode', [HOSTILE.BurnPermits]);
    const good = [];
    for (const user of [ALICE, BOB])
      good.push(await signPermit(hostile.evm, place, { user, usd: USD }));
    const burning = { ...good[0], user: CAROL.address, signature: { r: 1n, s: 1n, v: 0 } };
    const deposits = [good[0], burning, burning, burning, good[1]];
    const name = 'batchedDepositWithPermit';
    const { ok, events } = await hostile.call(UNPRIVILEGED_KEY, name, [deposits], 1_500_000n);
    expect(ok).toBe(true);
    const refusal = failed(CAROL.address, USD, 'PERMIT_REFUSED');
    expect(events).toEqual([deposited(ALICE), refusal, refusal, refusal, deposited(BOB)]);
  });
});
