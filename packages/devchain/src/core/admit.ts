import type { Common } from '@ethereumjs/common';
import { type TypedTransaction, getMinimumGasLimit } from '@ethereumjs/tx';
import { bytesToHex } from '@ethereumjs/util';
import type { Hex } from './chain-block.ts';
import type { ChainMemory } from './chain-memory.ts';
import { refused } from './rpc-error.ts';
import { type PooledTransaction, decodeTransaction, feesOf } from './transaction-pool.ts';

/** Whether a transaction may enter the pool, and what it is told otherwise: in the words of geth, which libraries look for. */

const POOL_TRANSACTIONS_MAX = 4096;
const SENDER_TRANSACTIONS_MAX = 64;
/** A transaction in place of another offers so many percent more. */
const REPLACEMENT_PERCENT = 10n;
const RAW_BYTES_MAX = 128 * 1024;
/** Blobs and delegated accounts are not for a settlement chain's tests. */
const TYPE_MAX = 2;
const NONCE_MAX = 2n ** 64n - 2n;

export function admit(memory: ChainMemory, common: Common, raw: Hex): PooledTransaction {
  if (raw.length > 2 + 2 * RAW_BYTES_MAX) throw refused('oversized data');
  const typeByte = Number(raw.slice(0, 4));
  if (typeByte > TYPE_MAX && typeByte < 0x80)
    throw refused(`transaction type not valid: type ${typeByte} is not supported here`);
  const transaction = decode(raw, common);
  const hash = bytesToHex(transaction.hash());
  if (memory.place(hash) !== undefined || memory.pool.get(hash) !== undefined)
    throw refused('already known');
  const from = senderOf(transaction);
  checkGas(transaction, BigInt(memory.head.baseFeePerGas));
  checkSender(memory, transaction, from);
  checkPool(memory, transaction, from);
  return { hash, raw, from, transaction, nonce: transaction.nonce, order: 0 };
}

function decode(raw: Hex, common: Common): TypedTransaction {
  let transaction: TypedTransaction;
  try {
    transaction = decodeTransaction(raw, common);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (/chain ?id/i.test(why))
      throw refused(`invalid chain id for signer: this chain is ${common.chainId()}`);
    if (/maxFeePerGas cannot be less than maxPriorityFeePerGas/.test(why))
      throw refused('max priority fee per gas higher than max fee per gas');
    if (/EIP-7825/.test(why)) throw refused(`intrinsic gas too high: ${why}`);
    throw refused(`rlp: ${why}`);
  }
  if (transaction.type === 0 && !isProtected(transaction, common))
    throw refused('only replay-protected (EIP-155) transactions allowed over RPC');
  return transaction;
}

/** A legacy transaction names its chain in `v`; one that does not could be sent again elsewhere. */
const isProtected = ({ v }: TypedTransaction, common: Common): boolean => {
  const first = common.chainId() * 2n + 35n;
  return v === first || v === first + 1n;
};

function senderOf(transaction: TypedTransaction): Hex {
  try {
    return transaction.getSenderAddress().toString();
  } catch {
    throw refused('invalid sender: no key can have made this signature');
  }
}

function checkGas(transaction: TypedTransaction, baseFee: bigint): void {
  const { maxFee } = feesOf(transaction);
  if (maxFee < baseFee)
    throw refused(
      `max fee per gas less than block base fee: maxFeePerGas: ${maxFee}, baseFee: ${baseFee}`,
    );
  const least = getMinimumGasLimit(transaction);
  if (transaction.gasLimit < least)
    throw refused(`intrinsic gas too low: gas ${transaction.gasLimit}, minimum needed ${least}`);
}

function checkSender(memory: ChainMemory, transaction: TypedTransaction, from: Hex): void {
  const { nonce, balance } = memory.state.account(from);
  if (transaction.nonce < nonce)
    throw refused(`nonce too low: address ${from}, tx: ${transaction.nonce} state: ${nonce}`);
  if (transaction.nonce > NONCE_MAX) throw refused('nonce has max value');
  const cost = transaction.gasLimit * feesOf(transaction).maxFee + transaction.value;
  if (balance < cost)
    throw refused(
      `insufficient funds for gas * price + value: address ${from} have ${balance} want ${cost}`,
    );
}

function checkPool({ pool }: ChainMemory, transaction: TypedTransaction, from: Hex): void {
  const before = pool.at(from, transaction.nonce);
  if (before === undefined) {
    if (pool.size >= POOL_TRANSACTIONS_MAX) throw refused('txpool is full');
    if (pool.of(from).length >= SENDER_TRANSACTIONS_MAX)
      throw refused(
        `txpool is full: ${SENDER_TRANSACTIONS_MAX} transactions of ${from} are already waiting`,
      );
    return;
  }
  const [old, now] = [feesOf(before.transaction), feesOf(transaction)];
  if (!isRaised(old.maxFee, now.maxFee) || !isRaised(old.maxTip, now.maxTip))
    throw refused('replacement transaction underpriced');
}

const isRaised = (from: bigint, to: bigint): boolean =>
  to * 100n >= from * (100n + REPLACEMENT_PERCENT);
