import { type Address, hash } from '@oddlot/units';
import type { CreditDepositCommand } from '../../../packages/engine/src/messages/command.ts';
import { actor, type Scenario } from './scenario.ts';

export const CHAIN_ID = 421_614;
export const BRIDGE_CONTRACT = actor(0xb1d9e);
export const TOKEN_CONTRACT = actor(0x70c3);

export function openTestBridge(scenario: Scenario, chainId = CHAIN_ID): void {
  const contracts = { bridge: BRIDGE_CONTRACT, token: TOKEN_CONTRACT };
  scenario.block({ type: 'openBridge', chainId, ...contracts });
}

export function deposited(
  account: Address,
  n: number,
  more: { readonly isOwn?: boolean; readonly amount?: number; readonly chainId?: number } = {},
): CreditDepositCommand {
  const { amount = 5_000_000, chainId = CHAIN_ID, isOwn = false } = more;
  const txHash = hash(`0x${n.toString(16).padStart(64, '0')}`);
  const source = { chainId, txHash, logIndex: n % 4, blockNumber: 100 + n };
  return { type: 'creditDeposit', account, amountMicroUsdc: amount, source, isOwn };
}
