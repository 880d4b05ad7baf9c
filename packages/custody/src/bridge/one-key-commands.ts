import { BRIDGE_ABI, BRIDGE_BYTECODE } from '@oddlot/contracts';
import { createWholeFile } from '@oddlot/host/durable';
import {
  encodeDeployData,
  encodeFunctionData,
  formatEther,
  getContractAddress,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { BridgeCommandError, lower, readBridge, readState, readToken } from './bridge-chain.ts';
import {
  type BridgeCommand,
  clientOf,
  idOf,
  keyPlaceWarnings,
  partyWarnings,
  send,
} from './bridge-options.ts';
import { formatDecimal, MONEY_DECIMALS } from '@oddlot/units';
import type { ChainClient } from '../chain/chain-client.ts';

/**
 * Commands that need at most one key: the guardian's commands, paying queued payouts, deploying a
 * bridge, showing the status, and managing keys.
 */

/** Stops deposits and payouts with the guardian's key. */
export const pause: BridgeCommand = (context) => call(context, 'pause', []);

/** Resumes deposits and payouts with the guardian's key. */
export const unpauseByGuardian: BridgeCommand = (context) => call(context, 'unpause', []);

/** Cancels a queued large payout with the guardian's key. */
export const cancelQueued: BridgeCommand = (context) =>
  call(context, 'cancelQueued', [idOf(context.options.only('id'))]);

/** Pays a queued large payout that is due. Any account may run this command. */
export const finish: BridgeCommand = (context) =>
  call(context, 'finish', [idOf(context.options.only('id'))]);

async function call(
  context: Parameters<BridgeCommand>[0],
  functionName: 'pause' | 'unpause' | 'cancelQueued' | 'finish',
  args: readonly bigint[],
): Promise<void> {
  const to = context.options.address('bridge');
  const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName, args } as never);
  await send(context, await clientOf(context), { to, data });
}

/** Creates a key in a file that only its owner can read. Only the key's address is printed. */
export const makeKey: BridgeCommand = async ({ options, print, warn }) => {
  const file = options.only('file');
  const key = generatePrivateKey();
  try {
    createWholeFile(file, `${key}\n`);
  } catch (cause) {
    throw new BridgeCommandError(`${file} must be a new file: ${(cause as Error).message}`, {
      cause,
    });
  }
  for (const line of keyPlaceWarnings(file)) warn(line);
  print(lower(privateKeyToAccount(key).address));
};

export const showAddress: BridgeCommand = async ({ options, print }) => {
  print(lower(privateKeyToAccount(options.key()).address));
};

const USDC_DECIMALS = 6n;

/** Deploys a new bridge and prints the settings for the venue. */
export const deploy: BridgeCommand = async (context) => {
  const { options, print } = context;
  const [token, guardian] = [options.address('token'), options.address('guardian')];
  const validators = options.addresses('validators');
  const threshold = BigInt(options.whole('threshold'));
  const largeUsd = options.usd('large-usd');
  const delaySeconds = BigInt(options.whole('delay-seconds'));
  const client = await clientOf(context);
  const decimals = await readToken(client, token, 'decimals', []);
  if (decimals !== USDC_DECIMALS) {
    throw new BridgeCommandError(`the token ${token} has ${decimals} decimals, not 6`);
  }
  for (const warning of partyWarnings({ validators, threshold, guardian })) print(warning);
  const data = encodeDeployData({
    abi: BRIDGE_ABI,
    bytecode: BRIDGE_BYTECODE,
    args: [token, validators, threshold, guardian, largeUsd, delaySeconds],
  });
  const { from, nonce, receipt } = await send(context, client, { data });
  const bridge = lower(getContractAddress({ from, nonce: BigInt(nonce) }));
  const state = await readState(client, bridge);
  if (state.token !== token || state.guardian !== guardian) {
    throw new BridgeCommandError(`the contract at ${bridge} is not the bridge that was deployed`);
  }
  print(`bridge ${bridge}`);
  print("Add these settings to the venue's configuration file:");
  print(`bridgeContract = "${bridge}"`);
  print(`usdcContract = "${token}"`);
  print(`bridgeFromBlock = ${receipt.blockNumber}`);
};

/** Prints the parties that control a bridge, its balance, and whether it is paused. */
export const status: BridgeCommand = async (context) => {
  const { options, print } = context;
  const bridge = options.address('bridge');
  const client = await clientOf(context);
  const state = await readState(client, bridge);
  print(`bridge     ${bridge} on chain ${client.chainId}`);
  print(`state      ${state.isPaused ? `paused (pause ${state.pauseNonce})` : 'running'}`);
  print(`token      ${state.token}`);
  print(`balance    ${dollars(state.balance)} USDC`);
  for (const validator of state.validators) print(`validator  ${validator}`);
  print(`threshold  ${state.threshold} of ${state.validators.length}`);
  print(`guardian   ${state.guardian}`);
  print(
    `delay      ${state.delaySeconds} s for payouts of ${dollars(state.largeUsd)} USDC or more`,
  );
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
