import { type ChainBlock, type Hex, toQuantity } from '../core/chain-block.ts';
import type { ChainMemory } from '../core/chain-memory.ts';
import { invalidParams, refused } from '../core/rpc-error.ts';
import { type BlockReference, readBlockReference, readQuantity } from './rpc-params.ts';

const BLOCKS_MAX = 1024n;
const PERCENTILES_MAX = 100;

/** `eth_feeHistory`: what gas cost lately. The base fee never changes; tips are what senders offered. */
export function feeHistory(
  memory: ChainMemory,
  [count, newest, percentiles = []]: readonly unknown[],
): unknown {
  const wanted =
    typeof count === 'number' ? BigInt(Math.trunc(count)) : readQuantity(count, 'blockCount');
  const reference = readBlockReference(newest);
  const last = numberOf(memory, reference);
  if (last > memory.head.number) throw refused('request beyond head block');
  const ranks = readPercentiles(percentiles);
  const length = Math.min(Number(wanted < BLOCKS_MAX ? wanted : BLOCKS_MAX), last + 1);
  const blocks = Array.from({ length }, (_, at) => memory.block(last + 1 - length + at)).filter(
    (block) => block !== undefined,
  );
  const baseFee = memory.head.baseFeePerGas;
  return {
    oldestBlock: toQuantity(last + 1 - length),
    baseFeePerGas: [...blocks.map((block) => block.baseFeePerGas), baseFee],
    gasUsedRatio: blocks.map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
    ...(ranks.length === 0 ? {} : { reward: blocks.map((block) => tipsAt(block, ranks)) }),
  };
}

function numberOf(memory: ChainMemory, reference: BlockReference): number {
  if ('number' in reference) return Number(reference.number);
  if ('hash' in reference) throw invalidParams('newestBlock must be a number or a name');
  return reference.tag === 'earliest' ? 0 : memory.head.number;
}

function readPercentiles(value: unknown): readonly number[] {
  if (value === null) return [];
  const isFit = (rank: unknown): rank is number =>
    typeof rank === 'number' && rank >= 0 && rank <= 100;
  if (!Array.isArray(value) || value.length > PERCENTILES_MAX || !value.every(isFit))
    throw invalidParams('rewardPercentiles must be a list of numbers from 0 to 100');
  const falls = value.some((rank: number, at) => at > 0 && rank <= (value[at - 1] as number));
  if (falls) throw invalidParams('rewardPercentiles must be in ascending order');
  return value;
}

/** The tips at some shares of a block's gas, cheapest first. */
function tipsAt(
  { transactions, baseFeePerGas, gasUsed }: ChainBlock,
  ranks: readonly number[],
): Hex[] {
  const tips = transactions
    .map((transaction) => ({
      tip: BigInt(transaction.effectiveGasPrice) - BigInt(baseFeePerGas),
      gas: Number(transaction.gasUsed),
    }))
    .sort((a, b) => (a.tip < b.tip ? -1 : 1));
  return ranks.map((rank) => {
    let sum = 0;
    const found = tips.find(({ gas }) => (sum += gas) >= (Number(gasUsed) * rank) / 100);
    return toQuantity(found?.tip ?? 0n);
  });
}
