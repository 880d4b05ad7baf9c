import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import {
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  toFunctionSelector,
} from 'viem';
import type { ChainClient } from '../chain/chain-client.ts';
import { ChainRevertError } from '../chain/endpoints.ts';
import type { BridgeContracts } from './deposit-logs.ts';
import type { Payout, Signed } from '../signing/bridge-signatures.ts';

/** The values that the contract's `stateOf` returns for a withdrawal. */
export const ON_CHAIN = { none: 0, queued: 1, paid: 2, cancelled: 3 } as const;

/** The refusal codes in Refusals.sol that the venue handles. */
export const REFUSED = { invalid: 4, tooFew: 5, unsorted: 8, transfer: 9, tooEarly: 11 } as const;

/** A paused bridge reverts without a code. */
export const PAUSED = 'paused';
export type Refusal = number | typeof PAUSED | undefined;

export function payOutData(payout: Payout, signatures: readonly Signed[]): Hex {
  const args = [payout, signatures.map(({ signature }) => signature)] as const;
  return encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'payOut', args });
}

export function batchData(
  batch: readonly { readonly payout: Payout; readonly signatures: readonly Signed[] }[],
): Hex {
  const payouts = batch.map(({ payout }) => payout);
  const signatures = batch.map((each) => each.signatures.map(({ signature }) => signature));
  const args = [payouts, signatures] as const;
  return encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'batchPayOut', args });
}

export function finishData(withdrawalId: number): Hex {
  const args = [BigInt(withdrawalId)] as const;
  return encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'finish', args });
}

export function cancelData(withdrawalId: number, signatures: readonly Signed[]): Hex {
  const args = [BigInt(withdrawalId), signatures.map(({ signature }) => signature)] as const;
  return encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'cancel', args });
}

/** Returns the state of a withdrawal on the bridge as of a block. */
export async function readState(
  client: ChainClient,
  bridge: Hex,
  { block, withdrawalId }: { readonly withdrawalId: number; readonly block: number },
): Promise<number> {
  const args = [BigInt(withdrawalId)] as const;
  const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'stateOf', args });
  return Number(BigInt(await client.call({ to: bridge, data }, block)));
}

export type Queued = {
  readonly user: Hex;
  readonly usd: bigint;
  readonly destination: Hex;
  readonly payableAtMs: number;
};

const MS_PER_SECOND = 1_000;

export async function readQueued(
  client: ChainClient,
  bridge: Hex,
  { block, withdrawalId }: { readonly withdrawalId: number; readonly block: number },
): Promise<Queued> {
  const call = { abi: BRIDGE_ABI, functionName: 'queued' } as const;
  const data = encodeFunctionData({ ...call, args: [BigInt(withdrawalId)] });
  const result = await client.call({ to: bridge, data }, block);
  const [user, usd, destination, payableAt] = decodeFunctionResult({ ...call, data: result });
  return {
    user: user.toLowerCase() as Hex,
    usd,
    destination: destination.toLowerCase() as Hex,
    payableAtMs: Number(payableAt) * MS_PER_SECOND,
  };
}

export type BridgeNow = {
  readonly isPaused: boolean;
  readonly threshold: number;
  readonly validators: ReadonlySet<Hex>;
  /** Payouts of at least this amount are queued before they are paid, in micro-USDC. */
  readonly largeUsd: bigint;
  readonly balance: bigint;
};

export async function readBridge(
  client: ChainClient,
  { bridge, token }: BridgeContracts,
): Promise<BridgeNow> {
  const ask = async (functionName: 'paused' | 'threshold' | 'largeUsd'): Promise<bigint> => {
    const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName });
    return BigInt(await client.call({ to: bridge, data }));
  };
  const list = { abi: BRIDGE_ABI, functionName: 'validators' } as const;
  const holds = { abi: TEST_USDC_ABI, functionName: 'balanceOf', args: [bridge] } as const;
  const [paused, threshold, largeUsd, validators, balance] = await Promise.all([
    ask('paused'),
    ask('threshold'),
    ask('largeUsd'),
    client.call({ to: bridge, data: encodeFunctionData(list) }),
    client.call({ to: token, data: encodeFunctionData(holds) }),
  ]);
  const all = decodeFunctionResult({ ...list, data: validators });
  return {
    isPaused: paused !== 0n,
    threshold: Number(threshold),
    validators: new Set(all.map((each) => each.toLowerCase() as Hex)),
    largeUsd,
    balance: BigInt(balance),
  };
}

const PAUSE_SELECTOR = toFunctionSelector('EnforcedPause()');

/** Returns the refusal code of a reverted call, or undefined if the code is unknown. */
export function refusalOf({ data }: ChainRevertError): Refusal {
  if (data === undefined || !data.startsWith('0x')) return undefined;
  if (data.startsWith(PAUSE_SELECTOR)) return PAUSED;
  try {
    const { args, errorName } = decodeErrorResult({ abi: BRIDGE_ABI, data: data as Hex });
    return errorName === 'Refused' ? Number(args[0]) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns true if the token would transfer this amount of the bridge's funds to an address, as of a
 * block.
 */
export async function wouldTransfer(
  client: ChainClient,
  { bridge, token }: BridgeContracts,
  { block, to, usd }: { readonly to: Hex; readonly usd: bigint; readonly block: number },
): Promise<boolean> {
  const data = encodeFunctionData({
    abi: TEST_USDC_ABI,
    functionName: 'transfer',
    args: [to, usd],
  });
  try {
    const returned = await client.call({ from: bridge, to: token, data }, block);
    // The result is interpreted as the bridge interprets it: a token can return no data, or true.
    return returned === '0x' || BigInt(returned) === 1n;
  } catch (error) {
    if (!(error instanceof ChainRevertError)) throw error;
    return false;
  }
}
