import { setTimeout as sleep } from 'node:timers/promises';
import { formatEther, type Hex, keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { ChainClient, ChainReceipt } from '../chain/chain-client.ts';
import { ChainRevertError } from '../chain/chain-error.ts';
import { BridgeCommandError, NotMinedError, refusalText } from './bridge-error.ts';

export type Sent = { readonly receipt: ChainReceipt; readonly from: Hex; readonly nonce: number };

type SendOptions = {
  readonly client: ChainClient;
  readonly key: Hex;
  readonly waitMs: number;
  readonly print: (line: string) => void;
};

/** Estimates are of one block, and the call may run in another. */
const GAS_SHARE = { of: 100n, take: 130n };
const POLL_MS = 250;

/** Sends one transaction and waits until a block has it, deep enough. Its hash is told as soon as there is one. */
export async function sendTransaction(
  call: { readonly to?: Hex; readonly data: Hex },
  { client, key, print, waitMs }: SendOptions,
): Promise<Sent> {
  const account = privateKeyToAccount(key);
  const from = account.address.toLowerCase() as Hex;
  const gas = await gasOf(client, { ...call, from });
  const { baseFee, priorityFee } = await client.fees();
  const maxFeePerGas = 2n * baseFee + priorityFee + 1n;
  const balance = await client.balanceOf(from);
  if (balance < gas * maxFeePerGas) {
    const needed = formatEther(gas * maxFeePerGas);
    throw new BridgeCommandError(
      `${from} has ${formatEther(balance)} ether, but up to ${needed} may be needed`,
    );
  }
  const nonce = await client.nonceOf(from, 'pending');
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: client.chainId,
    ...call,
    gas,
    nonce,
    maxFeePerGas,
    maxPriorityFeePerGas: priorityFee,
  });
  const txHash = keccak256(raw);
  print(`sending ${txHash}`);
  await client.sendRaw(raw);
  const receipt = await minedReceipt(client, txHash, waitMs);
  if (!receipt.succeeded) throw new BridgeCommandError(`${txHash} failed on-chain`);
  print(`included in block ${receipt.blockNumber}`);
  return { receipt, from, nonce };
}

async function gasOf(
  client: ChainClient,
  call: { readonly from: Hex; readonly to?: Hex; readonly data: Hex },
): Promise<bigint> {
  try {
    return ((await client.estimateGas(call)) * GAS_SHARE.take) / GAS_SHARE.of;
  } catch (error) {
    if (!(error instanceof ChainRevertError)) throw error;
    throw new BridgeCommandError(`the bridge rejected the transaction: ${refusalText(error.data)}`);
  }
}

async function minedReceipt(
  client: ChainClient,
  txHash: Hex,
  waitMs: number,
): Promise<ChainReceipt> {
  const tries = Math.max(1, Math.ceil(waitMs / POLL_MS));
  for (let tried = 0; tried < tries; tried++) {
    const receipt = await client.receipt(txHash);
    if (receipt !== undefined && receipt.blockNumber <= (await client.head()).confirmed) {
      return receipt;
    }
    await sleep(POLL_MS);
  }
  throw new NotMinedError(
    `${txHash} is not in a block yet. Check its status before you send anything again, or increase ` +
      '--wait-seconds',
  );
}
