import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import {
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  formatEther,
  type Hex,
  hexToNumber,
  keccak256,
} from 'viem';
import { ChainClient, type ChainReceipt } from '../chain/chain-client.ts';
import { ChainRevertError, urlEndpoint } from '../chain/endpoints.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';

type Abi = typeof BRIDGE_ABI;
type ViewName = ContractFunctionName<Abi, 'view' | 'pure'>;

const TIMEOUT_MS = 15_000;

/** Connects to a chain through its endpoints, which must all belong to the same chain. */
export async function connect(
  rpc: readonly string[],
  { chainId, confirmations }: { readonly chainId?: number; readonly confirmations: number },
): Promise<ChainClient> {
  const endpoints = rpc.map((url) => urlEndpoint(url, TIMEOUT_MS));
  const ids = await Promise.all(
    endpoints.map(async ({ name, request }) => {
      return { name, id: hexToNumber((await request('eth_chainId', [])) as Hex) };
    }),
  );
  const expected = chainId ?? ids[0]?.id ?? 0;
  const other = ids.find(({ id }) => id !== expected);
  if (other !== undefined) {
    throw new BridgeCommandError(`${other.name} serves chain ${other.id}, not ${expected}`);
  }
  return new ChainClient({ endpoints, chainId: expected, confirmations });
}

/** Reads a view of the bridge. If there are several endpoints, all must return the same value. */
export async function readBridge<const Name extends ViewName>(
  client: ChainClient,
  bridge: Hex,
  functionName: Name,
  args: ContractFunctionArgs<Abi, 'view' | 'pure', Name>,
): Promise<ContractFunctionReturnType<Abi, 'view' | 'pure', Name>> {
  const call = { abi: BRIDGE_ABI, functionName, args } as Parameters<typeof encodeFunctionData>[0];
  const { head } = await client.head();
  const data = await client.call({ to: bridge, data: encodeFunctionData(call) }, head);
  if (data === '0x') throw new BridgeCommandError(`no bridge at ${bridge}`);
  return decodeFunctionResult({ abi: BRIDGE_ABI, functionName, data } as never) as never;
}

export async function readToken(
  client: ChainClient,
  token: Hex,
  functionName: 'decimals' | 'balanceOf',
  args: readonly Hex[],
): Promise<bigint> {
  const call = { abi: TEST_USDC_ABI, functionName, args } as never;
  const { head } = await client.head();
  const data = await client.call({ to: token, data: encodeFunctionData(call) }, head);
  if (data === '0x') throw new BridgeCommandError(`no token at ${token}`);
  return BigInt(data);
}

type BridgeState = {
  readonly token: Hex;
  readonly balance: bigint;
  readonly validators: readonly Hex[];
  readonly threshold: bigint;
  readonly guardian: Hex;
  readonly largeUsd: bigint;
  readonly delaySeconds: bigint;
  readonly isPaused: boolean;
  readonly pauseNonce: bigint;
  readonly rotationNonce: bigint;
};

export async function readState(client: ChainClient, bridge: Hex): Promise<BridgeState> {
  const read = <const Name extends ViewName>(name: Name) =>
    readBridge(client, bridge, name, [] as never);
  const token = lower(await read('token'));
  return {
    token,
    balance: await readToken(client, token, 'balanceOf', [bridge]),
    validators: (await read('validators')).map(lower),
    threshold: await read('threshold'),
    guardian: lower(await read('guardian')),
    largeUsd: await read('largeUsd'),
    delaySeconds: await read('delaySeconds'),
    isPaused: await read('paused'),
    pauseNonce: await read('pauseNonce'),
    rotationNonce: await read('rotationNonce'),
  };
}

export function lower(text: string): Hex {
  return text.toLowerCase() as Hex;
}

export type Sent = { readonly receipt: ChainReceipt; readonly from: Hex; readonly nonce: number };

type SendOptions = {
  readonly client: ChainClient;
  readonly key: Hex;
  readonly waitMs: number;
  readonly print: (line: string) => void;
};

/**
 * The gas limit exceeds the estimate, because it was made for one block and the call may be
 * executed in another.
 */
const GAS_SHARE = { of: 100n, take: 130n };
const POLL_MS = 250;

/**
 * Sends one transaction and waits until it is in a block with enough confirmations. Its hash is
 * reported as soon as it is available.
 */
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

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown if the requested operation is not possible. Nothing was changed. */
export class BridgeCommandError extends Error {
  override readonly name = 'BridgeCommandError';
}

/** Thrown if a transaction has been sent but is not in a block yet. It may still succeed. */
export class NotMinedError extends Error {
  override readonly name = 'NotMinedError';
}

const REFUSALS: Readonly<Record<number, string>> = {
  1: 'the payout is already queued',
  2: 'the payout was already made',
  3: 'the payout was cancelled',
  4: 'the contract does not accept these values',
  5: 'too few validators signed',
  6: 'a signature is invalid',
  7: 'a signer is not a validator',
  8: 'the signatures are not sorted by signer',
  9: 'the token rejected the transfer',
  10: 'the payout is not queued',
  11: 'the payout is not due yet',
  15: 'the nonce has changed; prepare the request again',
  16: "the key is not the guardian's",
  17: 'the validator set is invalid: it cannot reach the threshold, or contains a duplicate',
  18: 'the token transferred a different amount',
  19: 'the transaction ran out of gas',
};
const PAUSES: Readonly<Record<string, string>> = {
  EnforcedPause: 'the bridge is paused',
  ExpectedPause: 'the bridge is not paused',
};

function refusalText(data: string | undefined): string {
  try {
    const { args, errorName } = decodeErrorResult({ abi: BRIDGE_ABI, data: data as Hex });
    const code = Number(args?.[0]);
    if (errorName !== 'Refused') return PAUSES[errorName] ?? errorName;
    return `${REFUSALS[code] ?? 'rejected'} (code ${code})`;
  } catch {
    return 'the contract rejected the transaction without a reason';
  }
}
