import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import type { Permit } from '@oddlot/custody/bridge-contract';
import { type BridgeState, bridgeWorld, ModelChain } from '@oddlot/testing/custody';
import { encodeFunctionData, type Hex } from 'viem';

/** A model chain on which each account has USDC and has approved the bridge. */

export const MODEL_CHAIN_ID = 421_614;
export const MODEL_BRIDGE: Hex = `0x${'b1'.repeat(20)}`;
export const MODEL_TOKEN: Hex = `0x${'70'.repeat(20)}`;
/** An address that has code and represents a contract. */
export const CONTRACT_SENDER: Hex = `0x${'cc'.repeat(20)}`;
const EVERYBODY_USD = 10n ** 15n;

type DepositChain = ModelChain<BridgeState>;

export function depositChain(nowMs: () => number): DepositChain {
  const contracts = { bridge: MODEL_BRIDGE, token: MODEL_TOKEN };
  const world = bridgeWorld({ chainId: MODEL_CHAIN_ID, contracts, everybody: EVERYBODY_USD });
  const codeOf = (owner: Hex): Hex => (owner === CONTRACT_SENDER ? '0x6000' : '0x');
  return new ModelChain({ ...world, codeOf }, nowMs);
}

/** A user's action related to deposits, in readable form. */
export type Doing =
  | { readonly does: 'transfer'; readonly from: Hex; readonly amount: bigint }
  | { readonly does: 'depositFor'; readonly from: Hex; readonly user: Hex; readonly amount: bigint }
  | { readonly does: 'permits'; readonly permits: readonly Permit[] };

/** Returns an action's transaction. The nonces of its sender do not matter. */
export function doingOn(chain: DepositChain, doing: Doing): ReturnType<DepositChain['make']> {
  if (doing.does === 'transfer') {
    const { amount, from } = doing;
    const args = [MODEL_BRIDGE, amount] as const;
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'transfer', args });
    return chain.make({ from, to: MODEL_TOKEN, data });
  }
  const abi = BRIDGE_ABI;
  if (doing.does === 'depositFor') {
    const { amount, from, user } = doing;
    const data = encodeFunctionData({ abi, functionName: 'depositFor', args: [user, amount] });
    return chain.make({ from, to: MODEL_BRIDGE, data });
  }
  const permits = doing.permits.map(({ signature: { r, s, v }, ...permit }) => {
    return { ...permit, signature: { r: BigInt(r), s: BigInt(s), v } };
  });
  const functionName = 'batchedDepositWithPermit';
  const data = encodeFunctionData({ abi, functionName, args: [permits] });
  return chain.make({ from: CONTRACT_SENDER, to: MODEL_BRIDGE, data });
}
