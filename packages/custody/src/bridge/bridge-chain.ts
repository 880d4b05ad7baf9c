import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import {
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToNumber,
} from 'viem';
import { ChainClient } from '../chain/chain-client.ts';
import { urlEndpoint } from '../chain/chain-endpoint.ts';
import { BridgeCommandError } from './bridge-error.ts';

type Abi = typeof BRIDGE_ABI;
type ViewName = ContractFunctionName<Abi, 'view' | 'pure'>;

const TIMEOUT_MS = 15_000;

/** A chain by its endpoints, which must all be of one chain. */
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
  const wanted = chainId ?? ids[0]?.id ?? 0;
  const other = ids.find(({ id }) => id !== wanted);
  if (other !== undefined) {
    throw new BridgeCommandError(`${other.name} serves chain ${other.id}, not ${wanted}`);
  }
  return new ChainClient({ endpoints, chainId: wanted, confirmations });
}

/** Asks the bridge; of several endpoints all must answer the same. */
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

/** Asks the token for its decimals or for somebody's balance. */
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
