import { encodeFunctionData, type Hex, maxUint256 } from 'viem';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BRIDGE } from '@oddlot/testing/relay/model-chain';
import { FLOAT, RelayRig, USER_USDC, USERS } from '@oddlot/testing/relay/relay-rig';

const [alice, bob] = USERS as [Hex, Hex];
const INTO = { srcChain: 'base', dstChain: 'oddlot', asset: 'USDC' };

let rig: RelayRig;
beforeEach(() => {
  rig = new RelayRig();
});
afterEach(() => rig.close());

async function paidAddress(dstAddr: Hex, amount: bigint): Promise<void> {
  const answer = await rig.service.depositAddress({ ...INTO, dstAddr });
  if (!answer.ok) throw new Error(answer.error.message);
  rig.chains.base.pay(bob, answer.data.address as Hex, amount);
}

/** Runs until all work is done, and returns the highest allowance seen. */
async function mostAllowed(): Promise<bigint> {
  let most = 0n;
  for (let round = 0; round < 12; round++) {
    await rig.run(() => rig.relay.step());
    await rig.mine('base');
    await rig.mine('arbitrum');
    const allowed = rig.chains.arbitrum.allowedOf(FLOAT);
    if (allowed > most) most = allowed;
  }
  return most;
}

test("the bridge's allowance equals the total of the deposits waiting to be paid out, and is zero afterwards", async () => {
  await paidAddress(alice, 50_000_000n);
  await paidAddress(bob, 20_000_000n);
  await paidAddress(alice, 30_000_000n);
  await rig.mine('base');
  expect(await mostAllowed()).toBe(99_700_000n);
  await rig.settle();
  expect(rig.chains.arbitrum.allowedOf(FLOAT)).toBe(0n);
  expect(rig.venue.balanceOf(alice)).toBe(USER_USDC + 79_800_000n);
  await paidAddress(alice, 10_000_000n);
  expect(await mostAllowed()).toBe(9_900_000n);
  expect(rig.venue.balanceOf(alice)).toBe(USER_USDC + 89_700_000n);
});

test('an unlimited allowance granted by a former release is reduced', async () => {
  const { relayer } = rig.parts.settlement;
  const args = [BRIDGE, maxUint256] as const;
  const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'approve', args });
  await relayer.submit({ key: `approve:${BRIDGE}`, to: rig.parts.settlement.token, data });
  await rig.settle();
  expect(rig.chains.arbitrum.allowedOf(FLOAT)).toBe(maxUint256);
  await paidAddress(alice, 50_000_000n);
  await rig.settle();
  expect(rig.chains.arbitrum.allowedOf(FLOAT)).toBe(0n);
  expect(rig.venue.balanceOf(alice)).toBe(USER_USDC + 49_900_000n);
});
