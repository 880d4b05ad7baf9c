import type { ChainBlock, ChainLog, Hex } from '../core/chain-block.ts';
import type { ChainMemory } from '../core/chain-memory.ts';
import { invalidParams, refused, tooMuch } from '../core/rpc-error.ts';
import { isObject, readAddress, readBlockReference, readHash } from './rpc-params.ts';
import { logView } from './rpc-views.ts';

/** `eth_getLogs`: what programs said in a range of blocks, by who said it and about what. */

const RANGE_BLOCKS_MAX = 10_000;
const RESULTS_MAX = 10_000;
const ADDRESSES_MAX = 1000;
const TOPICS_MAX = 4;
const ALTERNATIVES_MAX = 1000;

type LogFilter = {
  readonly addresses: ReadonlySet<Hex> | undefined;
  /** At each place one of these; undefined stands for anything. */
  readonly topics: readonly (ReadonlySet<Hex> | undefined)[];
};

export function findLogs(memory: ChainMemory, query: unknown): readonly unknown[] {
  if (!isObject(query)) throw invalidParams('the filter must be an object');
  const filter = {
    addresses: readAddresses(query['address']),
    topics: readTopics(query['topics']),
  };
  const { from, to } = rangeOf(memory, query);
  if (to - from >= RANGE_BLOCKS_MAX)
    throw tooMuch(`a filter covers at most ${RANGE_BLOCKS_MAX} blocks`);
  const found: unknown[] = [];
  for (let number = from; number <= to; number += 1) {
    const block = memory.block(number);
    if (block === undefined) break;
    found.push(...logsOf(block, filter));
    if (found.length > RESULTS_MAX)
      throw tooMuch(`query returned more than ${RESULTS_MAX} results`);
  }
  return found;
}

function logsOf(block: ChainBlock, filter: LogFilter): readonly unknown[] {
  let logIndex = 0;
  return block.transactions.flatMap((transaction, index) =>
    transaction.logs.flatMap((log) => {
      const at = logIndex;
      logIndex += 1;
      return fits(log, filter) ? [logView(log, { block, transaction, index, logIndex: at })] : [];
    }),
  );
}

function fits(log: ChainLog, { addresses, topics }: LogFilter): boolean {
  if (addresses !== undefined && !addresses.has(log.address)) return false;
  return topics.every((wanted, at) => {
    const topic = log.topics[at];
    return topic !== undefined && (wanted === undefined || wanted.has(topic));
  });
}

function rangeOf(
  memory: ChainMemory,
  query: Record<string, unknown>,
): { readonly from: number; readonly to: number } {
  if (query['blockHash'] !== undefined) {
    if (query['fromBlock'] !== undefined || query['toBlock'] !== undefined)
      throw invalidParams('cannot specify both blockHash and fromBlock/toBlock');
    const block = memory.blockByHash(readHash(query['blockHash'], 'blockHash'));
    if (block === undefined) throw refused('unknown block');
    return { from: block.number, to: block.number };
  }
  const head = memory.head.number;
  const from = numberOf(query['fromBlock'], head);
  const to = Math.min(numberOf(query['toBlock'], head), head);
  if (from > head + 1) return { from: 0, to: -1 };
  return { from, to };
}

function numberOf(value: unknown, head: number): number {
  const reference = readBlockReference(value);
  if ('number' in reference) return Number(reference.number);
  if ('hash' in reference) throw invalidParams('a range of blocks must be given by numbers');
  return reference.tag === 'earliest' ? 0 : head;
}

function readAddresses(value: unknown): ReadonlySet<Hex> | undefined {
  if (value === undefined || value === null) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > ADDRESSES_MAX)
    throw tooMuch(`a filter may contain at most ${ADDRESSES_MAX} addresses`);
  return list.length === 0 ? undefined : new Set(list.map((entry) => readAddress(entry)));
}

function readTopics(value: unknown): LogFilter['topics'] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > TOPICS_MAX)
    throw invalidParams(`topics must be a list of up to ${TOPICS_MAX}`);
  return value.map((entry: unknown) => {
    if (entry === null) return undefined;
    const list: readonly unknown[] = Array.isArray(entry) ? entry : [entry];
    if (list.length > ALTERNATIVES_MAX)
      throw tooMuch(`a topic position may contain at most ${ALTERNATIVES_MAX} alternatives`);
    return list.length === 0 ? undefined : new Set(list.map((topic) => readHash(topic, 'topic')));
  });
}
