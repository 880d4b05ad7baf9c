import { BRIDGE_ABI, BRIDGE_BYTECODE } from '@oddlot/contracts';
import { encodeDeployData, getContractAddress } from 'viem';
import { lower, readState, readToken } from './bridge-chain.ts';
import { type BridgeCommand, clientOf, send } from './bridge-context.ts';
import { BridgeCommandError } from './bridge-error.ts';
import { partyWarnings } from './party-warnings.ts';

const USDC_DECIMALS = 6n;

/** Puts a new bridge onto a chain, and says what the venue must be told of it. */
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
  print("for the venue's configuration:");
  print(`bridgeContract = "${bridge}"`);
  print(`usdcContract = "${token}"`);
  print(`bridgeFromBlock = ${receipt.blockNumber}`);
};
