import type { Block } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import { divFloor } from '@oddlot/units';
import { createTx } from '@ethereumjs/tx';
import { bytesToHex, createAddressFromString } from '@ethereumjs/util';
import type { RunTxResult } from '@ethereumjs/vm';
import type { Hex } from '../core/chain-block.ts';
import type { ChainMemory } from '../core/chain-memory.ts';
import type { Machine } from '../core/machine.ts';
import { refused, reverted } from '../core/rpc-error.ts';
import type { CallRequest } from './rpc-params.ts';

/** The most gas that one transaction may have, by the rules of the Osaka fork. */
export const TRANSACTION_GAS_MAX = 16_777_216n;
export const ZERO_ADDRESS: Hex = `0x${'00'.repeat(20)}`;
const TRANSFER_GAS = 21_000n;

/**
 * The least gas with which a transaction goes through. More than it uses: a program keeps a part of what
 * is left from those that it calls, and refunds come last. Found from what it uses upwards, since it is seldom
 * much more, and then by halving, to within a part in 64.
 */
export async function estimateGas(
  { memory, machine, common }: { memory: ChainMemory; machine: Machine; common: Common },
  request: CallRequest,
  environment: Block,
): Promise<bigint> {
  const limit = mostGas(memory, request);
  const trial = async (gas: bigint): Promise<RunTxResult | undefined> =>
    await runOnce({ memory, machine, common }, request, environment, gas);
  const most = await trial(limit);
  if (most === undefined) throw refused(`gas required exceeds allowance (${limit})`);
  const failure = most.execResult.exceptionError?.error;
  if (failure === 'revert') throw reverted(bytesToHex(most.execResult.returnValue));
  if (failure === 'out of gas') throw refused(`gas required exceeds allowance (${limit})`);
  if (failure !== undefined) throw refused(failure);
  let [tooLittle, enough] = [most.totalGasSpent - 1n, limit];
  let next = most.totalGasSpent;
  let more = divFloor(most.totalGasSpent, 128n) + 1n;
  while (enough - tooLittle > 1n && (enough - tooLittle) * 64n > enough) {
    const result = await trial(next);
    const isEnough = result !== undefined && result.execResult.exceptionError === undefined;
    if (isEnough) enough = next;
    else tooLittle = next;
    const isBounded = isEnough || enough < limit;
    if (!isBounded) more *= 4n;
    const middle = divFloor(tooLittle + enough, 2n);
    const above = tooLittle + more;
    next = isBounded || above > middle ? middle : above;
  }
  return enough;
}

/** What the sender wants to give and can pay for. */
function mostGas(memory: ChainMemory, { from, value, gas, maxFeePerGas }: CallRequest): bigint {
  const wanted = gas ?? TRANSACTION_GAS_MAX;
  const most = wanted < TRANSACTION_GAS_MAX ? wanted : TRANSACTION_GAS_MAX;
  const { balance } = memory.state.account(from ?? ZERO_ADDRESS);
  if (value > balance)
    throw refused(`insufficient funds for transfer: address ${from} have ${balance} want ${value}`);
  if (maxFeePerGas === undefined || maxFeePerGas === 0n) return most;
  const payable = divFloor(balance - value, maxFeePerGas);
  if (payable < TRANSFER_GAS)
    throw refused(
      `insufficient funds for gas * price + value: address ${from} have ${balance} want ${TRANSFER_GAS * maxFeePerGas + value}`,
    );
  return payable < most ? payable : most;
}

/** Undefined where the gas does not even pay for sending it. */
async function runOnce(
  { memory, machine, common }: { memory: ChainMemory; machine: Machine; common: Common },
  { from = ZERO_ADDRESS, to, data, value, accessList }: CallRequest,
  environment: Block,
  gas: bigint,
): Promise<RunTxResult | undefined> {
  const price = environment.header.baseFeePerGas ?? 0n;
  const fields = { data, value, nonce: memory.state.account(from).nonce, gasLimit: gas };
  const fees = { maxFeePerGas: price, maxPriorityFeePerGas: 0n };
  const list = accessList.map(({ address, storageKeys }) => ({
    address,
    storageKeys: [...storageKeys],
  }));
  const transaction = createTx(
    { type: 2, ...fields, ...fees, accessList: list, ...(to === undefined ? {} : { to }) },
    { common, freeze: false },
  );
  // Nobody has signed it, so it says itself whose it would be.
  Object.assign(transaction, { getSenderAddress: () => createAddressFromString(from) });
  memory.state.begin();
  try {
    return await machine.trial(transaction, environment);
  } catch (error) {
    if (error instanceof Error && /gas/i.test(error.message)) return undefined;
    throw refused(error instanceof Error ? error.message : String(error));
  } finally {
    memory.state.undo();
  }
}
