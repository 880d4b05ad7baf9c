import {
  type BridgeContracts,
  ON_CHAIN,
  type Queued,
  readQueued,
  readState,
  type Refusal,
} from '@oddlot/custody/bridge-contract';
import type { ChainClient, ChainReceipt } from '@oddlot/custody/chain';
import type { SendRecord } from '@oddlot/custody/relayer';
import type { Hex } from 'viem';
import { failureIn } from './payout-logs.ts';
import type { PayoutRecord } from './payout-record.ts';
import type { PayoutFacts } from './payout-transitions.ts';

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
