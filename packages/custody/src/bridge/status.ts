import { formatDecimal, MONEY_DECIMALS } from '@oddlot/units';
import { formatEther, type Hex } from 'viem';
import type { ChainClient } from '../chain/chain-client.ts';
import { lower, readBridge, readState } from './bridge-chain.ts';
import { type BridgeCommand, clientOf } from './bridge-context.ts';
import { idOf } from './bridge-options.ts';

/** Who decides over a bridge, what it holds, and whether it runs. */
export const status: BridgeCommand = async (context) => {
  const { options, print } = context;
  const bridge = options.address('bridge');
  const client = await clientOf(context);
  const state = await readState(client, bridge);
  print(`bridge     ${bridge} on chain ${client.chainId}`);
  print(`state      ${state.isPaused ? `paused (pause ${state.pauseNonce})` : 'running'}`);
  print(`token      ${state.token}`);
  print(`holds      ${dollars(state.balance)} USDC`);
  for (const validator of state.validators) print(`validator  ${validator}`);
  print(`threshold  ${state.threshold} of ${state.validators.length}`);
  print(`guardian   ${state.guardian}`);
  print(`large      from ${dollars(state.largeUsd)} USDC, delayed by ${state.delaySeconds} s`);
  print(`rotations  ${state.rotationNonce}`);
  const id = options.text('id');
  if (id !== undefined) print(`id ${id}  ${await stateOfId(client, bridge, idOf(id))}`);
  if (options.text('account') === undefined) return;
  const account = options.address('account');
  print(`ether      ${formatEther(await client.balanceOf(account))} held by ${account}`);
};

const STATES = ['none', 'queued', 'paid', 'cancelled'] as const;

async function stateOfId(client: ChainClient, bridge: Hex, id: bigint): Promise<string> {
  const known = STATES[await readBridge(client, bridge, 'stateOf', [id])] ?? 'unknown';
  if (known !== 'queued') return known;
  const [, usd, destination, payableAt] = await readBridge(client, bridge, 'queued', [id]);
  const when = new Date(Number(payableAt) * 1_000).toISOString();
  return `queued: ${dollars(usd)} USDC to ${lower(destination)}, payable from ${when}`;
}

function dollars(micro: bigint): string {
  return formatDecimal(micro, MONEY_DECIMALS);
}
