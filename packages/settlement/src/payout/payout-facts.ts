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

/** Who is asked. */
export type FactSource = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly now: () => number;
  /** A transaction that was sent, by the relayer's key. */
  readonly find: (key: string) => SendRecord | undefined;
  readonly receipt: (txHash: Hex) => Promise<ChainReceipt | undefined>;
};

/** What holds for all payouts that are looked at together. */
type RoundFacts = {
  readonly confirmed: number;
  readonly isPayable: boolean;
  readonly underWay: ReadonlyMap<number, SendRecord>;
};

/** What is known of a payout, and what a step that follows needs of it. */
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

/** Asks the bridge at confirmed depth, and for no more than the next step depends on. */
export async function findFacts(
  record: PayoutRecord,
  round: RoundFacts,
  source: FactSource,
): Promise<FoundFacts> {
  const { client, contracts } = source;
  const { bridge } = contracts;
  const { withdrawalId } = record;
  const isUnderWay = round.underWay.has(withdrawalId);
  const told = toldOf(record);
  const common = {
    wanted: record.cancel !== undefined || told === 'cancelled' ? 'cancellation' : 'payout',
    told,
    transaction: isUnderWay ? 'under way' : 'none',
    queued: 'not',
    isPayable: round.isPayable,
  } as const;
  if (record.bridge !== bridge || record.chainId !== client.chainId) {
    // Signed for another bridge it could be paid there too; what nobody has signed can go by this one.
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

/** What the engine has been told, and the chain has given up again. */
function toldOf({ end, isLost }: PayoutRecord): PayoutFacts['told'] {
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

/** What became of the transaction that was sent for one of which the bridge knows nothing. */
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
 * What is done about a withdrawal next, by what is known of it (R-withdraw). The bridge at confirmed depth decides; what
 * the venue has sent or told the engine only says how to get to the end that is right.
 *
 *     held ──sign──▶ signed ──send──▶ none on the bridge ──▶ paid ──▶ settled
 *                                       │        └─▶ queued ──▶ paid        (large ones wait there)
 *                                       └────────────────┴──▶ cancelled ──▶ returned
 */

export type PayoutFacts = {
  /** Which bridge its record is of: another one only after the venue was given a new one. */
  readonly of: 'this bridge' | 'another bridge, signed' | 'another bridge, unsigned';
  readonly onBridge: 'none' | 'queued' | 'paid' | 'cancelled';
  /** How it ends if it is up to the venue. */
  readonly wanted: 'payout' | 'cancellation';
  /** What the engine was told before the chain lost it again: no other end is right any more. */
  readonly told: 'nothing' | 'paid' | 'cancelled';
  readonly transaction: 'none' | 'under way' | 'unconfirmed' | 'failed';
  /** Of one that is queued on the bridge. */
  readonly queued: 'not' | 'as another payout' | 'and waits' | 'and is due';
  /** False while the insurance fund is too deep below zero for payouts (R-deficit). */
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

/** The first row that fits tells the step. */
export const TRANSITIONS: readonly Row[] = [
  [{ of: 'another bridge, signed' }, 'leave to the operator of the other bridge'],
  [{ of: 'another bridge, unsigned' }, 'take to this bridge'],

  [{ onBridge: 'paid', told: 'cancelled' }, 'report paid after return'],
  [{ onBridge: 'paid' }, 'settle as paid'],

  [{ onBridge: 'cancelled', told: 'paid' }, 'report another payout'],
  [{ onBridge: 'cancelled' }, 'settle as cancelled'],

  [{ onBridge: 'queued', queued: 'as another payout' }, 'report another payout'],
  [{ onBridge: 'queued', transaction: 'under way' }, 'wait for the transaction'],
  [{ onBridge: 'queued', wanted: 'cancellation' }, 'cancel'],
  [{ onBridge: 'queued', queued: 'and is due' }, 'finish'],
  [{ onBridge: 'queued' }, 'wait until it is due'],

  [{ transaction: 'under way' }, 'wait for the transaction'],
  [{ transaction: 'unconfirmed' }, 'wait for its block'],
  [{ transaction: 'failed', wanted: 'payout' }, 'note the refusal'],
  [{ wanted: 'cancellation' }, 'cancel'],
  [{ isPayable: true }, 'pay'],
  // What the engine has settled as paid is owed, whatever became of the fund since.
  [{ told: 'paid' }, 'pay'],
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
