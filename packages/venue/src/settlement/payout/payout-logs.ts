import { BRIDGE_ABI } from '@oddlot/contracts';
import type { ChainClient, ChainLog } from '@oddlot/custody/chain';
import { decodeEventLog, encodeEventTopics, type Hex, numberToHex } from 'viem';
import { type PayoutRecord, payoutOf } from './payout-record.ts';

/** What the bridge has told of single withdrawals in its logs. */

const PAID_TOPIC = topicOf('Paid');
const CANCELLED_TOPIC = topicOf('Cancelled');

/** The transaction of these that paid exactly this payout. */
export function paidBy(logs: readonly ChainLog[], record: PayoutRecord): Hex | undefined {
  const payout = payoutOf(record);
  for (const log of logs) {
    if (log.topics[0] !== PAID_TOPIC || log.topics[1] !== idTopic(record.withdrawalId)) continue;
    const { args } = decodeEventLog({
      abi: BRIDGE_ABI,
      eventName: 'Paid',
      topics: log.topics as [Hex, ...Hex[]],
      data: log.data,
    });
    const isSame =
      args.user.toLowerCase() === payout.user &&
      args.destination.toLowerCase() === payout.destination &&
      args.usd === payout.usd;
    if (isSame) return log.txHash;
  }
  return undefined;
}

/** With what code a batch passed this one over; undefined when it did not. */
export function failureIn(logs: readonly ChainLog[], withdrawalId: number): number | undefined {
  for (const log of logs) {
    if (log.topics[0] !== FAILED_TOPIC || log.topics[1] !== idTopic(withdrawalId)) continue;
    return Number(BigInt(log.data));
  }
  return undefined;
}

const FAILED_TOPIC = topicOf('PayoutFailed');

type Search = {
  readonly client: ChainClient;
  readonly bridge: Hex;
  /** Not before the bridge itself. */
  readonly fromBlock: number;
};

/** Blocks of one question for logs, and questions of one search. */
const RANGE = 2_000;
const RANGES_MAX = 64;
/** Clocks of a venue and of a chain differ. */
const SLACK_MS = 3_600_000;
const MS_PER_SECOND = 1_000;

type Found = {
  readonly logs: readonly ChainLog[];
  /** Where the search goes on; undefined when it is over. */
  readonly nextBlock: number | undefined;
};

/**
 * The logs of how a withdrawal ended, looked for backwards from a block until before it was asked for.
 * Needed where somebody else than this venue's relayer sent the transaction, or its record is lost.
 */
export async function findEnd(
  { bridge, client, fromBlock }: Search,
  record: PayoutRecord,
  upTo: number,
): Promise<Found> {
  const topics = [null, idTopic(record.withdrawalId)];
  let toBlock = upTo;
  for (let range = 0; range < RANGES_MAX && toBlock >= fromBlock; range++) {
    const from = Math.max(fromBlock, toBlock - RANGE + 1);
    const logs = await client.logs({ address: bridge, topics, fromBlock: from, toBlock });
    const ends = logs.filter(
      ({ topics: [topic] }) => topic === PAID_TOPIC || topic === CANCELLED_TOPIC,
    );
    if (ends.length > 0) return { logs: ends, nextBlock: undefined };
    const seconds = await client.blockTime(from);
    const isBefore =
      seconds !== undefined && seconds * MS_PER_SECOND < record.requestedMs - SLACK_MS;
    if (isBefore) return { logs: [], nextBlock: undefined };
    toBlock = from - 1;
  }
  return { logs: [], nextBlock: toBlock >= fromBlock ? toBlock : undefined };
}

function idTopic(withdrawalId: number): Hex {
  return numberToHex(withdrawalId, { size: 32 });
}

function topicOf(eventName: 'Paid' | 'Cancelled' | 'PayoutFailed'): Hex {
  return encodeEventTopics({ abi: BRIDGE_ABI, eventName })[0] as Hex;
}
