import { toFunctionSelector } from 'viem';
import { beforeEach, expect, test } from 'vitest';
import {
  ALICE,
  UNPRIVILEGED_KEY,
  BOB,
  BridgeWorld,
  DELAY_SECONDS,
  LARGE_USD,
  payoutOf,
  VALIDATORS,
} from '@oddlot/testing/contracts/bridge-world';
import { encodeCall } from '@oddlot/testing/contracts/evm';
import { signMessage, signPermit } from '@oddlot/testing/contracts/sign';

/** The calls that a hostile token makes while the bridge is waiting for its transfer. */
const INSIDE = [
  'payOut of the same',
  'payOut of another',
  'batchPayOut',
  'finish',
  'cancel',
  'deposit',
  'depositFor',
  'batchedDepositWithPermit',
] as const;

/** The bridge's calls during which the token calls back. */
const OUTSIDE = ['payOut', 'finish', 'deposit', 'batchedDepositWithPermit'] as const;

/** The error selector of OpenZeppelin's reentrancy guard. */
const REENTRANT_CALL = toFunctionSelector('ReentrancyGuardReentrantCall()');
const QUEUED_ID = 9n;

let world: BridgeWorld;

beforeEach(async () => {
  world = await BridgeWorld.open({ isHostile: true });
  await world.fill(10n * LARGE_USD);
  await world.fund(ALICE, LARGE_USD);
  await world.tokenCall(ALICE, 'approve', [world.bridge.address, LARGE_USD]);
  await world.payOut(payoutOf(QUEUED_ID, { usd: LARGE_USD }));
  world.evm.timeSeconds += DELAY_SECONDS;
});

async function argumentsOf(call: (typeof INSIDE)[number] | (typeof OUTSIDE)[number]) {
  const place = { token: world.token, spender: world.bridge.address };
  const same = payoutOf(1n);
  const other = payoutOf(2n);
  const cancellation = { withdrawalId: 1n };
  switch (call) {
    case 'payOut':
    case 'payOut of the same':
      return { name: 'payOut', args: [same, await world.signPayout(same)] };
    case 'payOut of another':
      return { name: 'payOut', args: [other, await world.signPayout(other)] };
    case 'batchPayOut':
      return { name: call, args: [[other], [await world.signPayout(other)]] };
    case 'finish':
      return { name: call, args: [QUEUED_ID] };
    case 'cancel':
      return {
        name: call,
        args: [1n, await signMessage(VALIDATORS, world.domain, 'Cancellation', cancellation)],
      };
    case 'deposit':
      return { name: call, args: [5_000_000n] };
    case 'depositFor':
      return { name: call, args: [BOB.address, 5_000_000n] };
    case 'batchedDepositWithPermit':
      return {
        name: call,
        args: [[await signPermit(world.evm, place, { user: ALICE, usd: 5_000_000n })]],
      };
  }
}

test.each(OUTSIDE)(
  'every call that a token makes back into the bridge during %s is rejected',
  async (outside) => {
    const work = await argumentsOf(outside);
    for (const inside of INSIDE) {
      await world.evm.undone(async () => {
        const { name, args } = await argumentsOf(inside);
        const data = encodeCall(world.bridge, name, args);
        await world.tokenCall(UNPRIVILEGED_KEY, 'setCallback', [world.bridge.address, data]);
        const { ok, events } = await world.call(ALICE, work.name, work.args);
        expect({ ok, events: events.length }, inside).toEqual({ ok: true, events: 1 });
        expect(await world.evm.read(world.token, 'hasReentered'), inside).toBe(false);
        expect(await world.evm.read(world.token, 'answer'), inside).toBe(REENTRANT_CALL);
        expect(await world.read('stateOf', [2n])).toBe(0);
      });
    }
    // A view returns a result, which proves that the token does call back.
    const question = encodeCall(world.bridge, 'paid', [1n]);
    await world.tokenCall(UNPRIVILEGED_KEY, 'setCallback', [world.bridge.address, question]);
    expect((await world.call(ALICE, work.name, work.args)).ok).toBe(true);
    expect(await world.evm.read(world.token, 'hasReentered')).toBe(true);
  },
);
