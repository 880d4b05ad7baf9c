import {
  type BridgeContracts,
  ON_CHAIN,
  type Queued,
  readQueued,
  readState,
  type Refusal,
} from '@oddlot/custody/bridge-contract';
import type { ChainClient, ChainLog, ChainReceipt } from '@oddlot/custody/chain';
import type { SendRecord } from '@oddlot/custody/relayer';
import { decodeEventLog, encodeEventTopics, type Hex, numberToHex } from 'viem';
import { payoutOf, type PayoutRecord } from './payout-record.ts';
import { BRIDGE_ABI } from '@oddlot/contracts';

export type FactSource = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly now: () => number;
  readonly find: (key: string) => SendRecord | undefined;
  readonly receipt: (txHash: Hex) => Promise<ChainReceipt | undefined>;
};

type RoundFacts = {
  readonly confirmed: number;
  readonly isPayable: boolean;
  readonly underWay: ReadonlyMap<number, SendRecord>;
};

type FoundFacts = {
  readonly facts: PayoutFacts;
  readonly payableAtMs?: number;
  readonly refusal?: Refusal;
};

const NAMES: Readonly<Record<number, PayoutFacts['onBridge']>> = {
  [ON_CHAIN.paid]: 'paid',
  [ON_CHAIN.cancelled]: 'cancelled',
  [ON_CHAIN.queued]: 'queued',
};

/** Queries the bridge at confirmed depth, and only for facts that the next step depends on. */
export async function findFacts(
  record: PayoutRecord,
  round: RoundFacts,
  source: FactSource,
): Promise<FoundFacts> {
  const { client, contracts } = source;
  const { bridge } = contracts;
  const { withdrawalId } = record;
  const isUnderWay = round.underWay.has(withdrawalId);
  const reported = reportedEndOf(record);
  const common = {
    goal: record.cancel !== undefined || reported === 'cancelled' ? 'cancellation' : 'payout',
    reported,
    transaction: isUnderWay ? 'under way' : 'none',
    queued: 'not',
    isPayable: round.isPayable,
  } as const;
  if (record.bridge !== bridge || record.chainId !== client.chainId) {
    // A payout signed for another bridge could still be paid there; an unsigned one can use this
    // bridge.
    const isSigned = record.signatures !== undefined || record.status !== 'held';
    const of = isSigned ? 'another bridge, signed' : 'another bridge, unsigned';
    return { facts: { ...common, of, onBridge: 'none' } };
  }
  const at = { withdrawalId, block: round.confirmed };
  const onBridge = NAMES[await readState(client, bridge, at)] ?? 'none';
  const facts = { ...common, of: 'this bridge', onBridge } as const;
  if (onBridge === 'queued') {
    const queued = await readQueued(client, bridge, at);
    const { payableAtMs } = queued;
    return { facts: { ...facts, queued: queuedAs(record, queued, source.now()) }, payableAtMs };
  }
  if (onBridge !== 'none' || isUnderWay) return { facts };
  return withFailure(facts, record, { confirmed: round.confirmed, source });
}

/** Returns the result that was reported to the engine before the chain dropped its block. */
function reportedEndOf({ end, isLost }: PayoutRecord): PayoutFacts['reported'] {
  if (isLost !== true || end === undefined) return 'nothing';
  return end.paid ? 'paid' : 'cancelled';
}

function queuedAs(record: PayoutRecord, queued: Queued, nowMs: number): PayoutFacts['queued'] {
  const isSame =
    queued.user === record.user &&
    queued.destination === record.destination &&
    queued.usd === BigInt(record.usd);
  if (!isSame) return 'as another payout';
  return queued.payableAtMs <= nowMs ? 'and is due' : 'and waits';
}

/** Returns the result of a sent transaction for a payout not recorded by the bridge. */
async function withFailure(
  facts: PayoutFacts,
  { cancel, sent, withdrawalId }: PayoutRecord,
  { confirmed, source }: { readonly confirmed: number; readonly source: FactSource },
): Promise<FoundFacts> {
  const mined = sent === undefined ? undefined : source.find(sent)?.mined;
  if (mined === undefined) return { facts };
  if (mined.blockNumber > confirmed) return { facts: { ...facts, transaction: 'unconfirmed' } };
  if (cancel !== undefined) return { facts };
  const receipt = await source.receipt(mined.txHash);
  const refusal = receipt && failureIn(receipt.logs, withdrawalId);
  const isFailed = refusal !== undefined || receipt?.succeeded === false;
  return isFailed ? { facts: { ...facts, transaction: 'failed' }, refusal } : { facts };
}

/**
 * Determines the next step of a withdrawal from its facts (R-withdraw). The bridge at confirmed
 * depth decides; the venue's own transactions and reports determine only how to reach the correct
 * end.
 *
 * held → sign → signed → send → paid → settled signed → send → queued (large payouts) → finish →
 * paid → settled signed or queued → cancel → cancelled → returned
 */

export type PayoutFacts = {
  /**
   * The bridge in the payout's record. It differs from this bridge only if the venue was given a
   * new one.
   */
  readonly of: 'this bridge' | 'another bridge, signed' | 'another bridge, unsigned';
  readonly onBridge: 'none' | 'queued' | 'paid' | 'cancelled';
  readonly goal: 'payout' | 'cancellation';
  /**
   * The result reported to the engine before the chain dropped it. From then on, no other result is
   * correct.
   */
  readonly reported: 'nothing' | 'paid' | 'cancelled';
  readonly transaction: 'none' | 'under way' | 'unconfirmed' | 'failed';
  /** The state of a payout queued on the bridge. */
  readonly queued: 'not' | 'as another payout' | 'and waits' | 'and is due';
  /** False while the insurance fund is too far below zero for payouts (R-deficit). */
  readonly isPayable: boolean;
};

type PayoutStep =
  | 'leave to the operator of the other bridge'
  | 'take to this bridge'
  | 'report paid after return'
  | 'report another payout'
  | 'settle as paid'
  | 'settle as cancelled'
  | 'wait for the transaction'
  | 'wait for its block'
  | 'note the refusal'
  | 'wait until it is due'
  | 'wait for the fund'
  | 'pay'
  | 'finish'
  | 'cancel';

type Row = readonly [when: Partial<PayoutFacts>, step: PayoutStep];

/** The first row that matches determines the step. */
export const TRANSITIONS: readonly Row[] = [
  [{ of: 'another bridge, signed' }, 'leave to the operator of the other bridge'],
  [{ of: 'another bridge, unsigned' }, 'take to this bridge'],

  [{ onBridge: 'paid', reported: 'cancelled' }, 'report paid after return'],
  [{ onBridge: 'paid' }, 'settle as paid'],

  [{ onBridge: 'cancelled', reported: 'paid' }, 'report another payout'],
  [{ onBridge: 'cancelled' }, 'settle as cancelled'],

  [{ onBridge: 'queued', queued: 'as another payout' }, 'report another payout'],
  [{ onBridge: 'queued', transaction: 'under way' }, 'wait for the transaction'],
  [{ onBridge: 'queued', goal: 'cancellation' }, 'cancel'],
  [{ onBridge: 'queued', queued: 'and is due' }, 'finish'],
  [{ onBridge: 'queued' }, 'wait until it is due'],

  [{ transaction: 'under way' }, 'wait for the transaction'],
  [{ transaction: 'unconfirmed' }, 'wait for its block'],
  [{ transaction: 'failed', goal: 'payout' }, 'note the refusal'],
  [{ goal: 'cancellation' }, 'cancel'],
  [{ isPayable: true }, 'pay'],
  // A payout that the engine has settled as paid is owed even if the fund has lost money since.
  [{ reported: 'paid' }, 'pay'],
  [{}, 'wait for the fund'],
];

export function nextStepOf(facts: PayoutFacts): PayoutStep {
  const fitting = TRANSITIONS.find(([when]) => fits(facts, when));
  if (fitting === undefined) throw new Error(`no step for ${JSON.stringify(facts)}`);
  return fitting[1];
}

export function fits(facts: PayoutFacts, when: Partial<PayoutFacts>): boolean {
  return Object.entries(when).every(([name, value]) => facts[name as keyof PayoutFacts] === value);
}

const PAID_TOPIC = topicOf('Paid');
const CANCELLED_TOPIC = topicOf('Cancelled');

/** Returns the transaction that, according to these logs, paid exactly this payout. */
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

/** Returns the code with which a batch skipped this payout, or undefined if it was not skipped. */
function failureIn(logs: readonly ChainLog[], withdrawalId: number): number | undefined {
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
  /** A block no later than the one in which the bridge was created. */
  readonly fromBlock: number;
};

/** The number of blocks per log query, and the number of queries per search. */
const RANGE = 2_000;
const RANGES_MAX = 64;
/**
 * The tolerance for the difference between the clocks of the venue and the chain, in milliseconds.
 */
const SLACK_MS = 3_600_000;
const MS_PER_SECOND = 1_000;

type Found = {
  readonly logs: readonly ChainLog[];
  readonly nextBlock: number | undefined;
};

/**
 * Searches the logs for the end of a withdrawal, backwards from a block to the time of its request.
 * This is needed if another sender's transaction ended it, or if the relayer's record has been
 * lost.
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
