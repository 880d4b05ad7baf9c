import { type Address, type MicroUsdc, present, ZERO_USDC } from '@oddlot/units';
import { NONE, OrderPool, readSlotInt } from '../book/order-pool.ts';
import { EffectsDigest } from '../collections/effects-digest.ts';
import { DueQueue } from '../collections/heap.ts';
import { clientOrderKey, type HolderTerm, type ModifyOrderCommand } from '../messages/command.ts';
import type { VenueParameters } from '../messages/parameters.ts';
import { type Account, type BuilderRewards, holdingKey, type OrderBuilder } from './account.ts';
import type { Bridge, Withdrawal } from './bridge.ts';
import { GroupBook } from './order-groups.ts';
import { CancelSchedules, type ReverseJob } from './scheduled-jobs.ts';
import { BlockRecord } from './block-record.ts';
import { FundCosts } from './fund-costs.ts';
import {
  type AgentBinding,
  createGate,
  type Gate,
  type SignerNonces,
  type Vault,
} from './permissions.ts';
import { Liquidations, RiskIndex } from './liquidations.ts';
import { createOutcomes, type Outcomes } from './outcomes.ts';
import { type Perp, PerpWatch } from './perp.ts';
import { TriggerBook } from './trigger-book.ts';

/** The whole state of a venue. Data only: the rules are in the handlers of commands and steps. */
export type State = {
  height: number;
  timeMs: number;
  /** The time of the log's first entry; actions signed before it are rejected (R-nonce). */
  beganMs: number;
  /** Undefined only before the first block. */
  parameters: VenueParameters | undefined;
  nextOrderId: number;
  nextTradeId: number;
  /** Acceptance rank of the next order that rests: time priority as a counter. */
  nextRank: number;
  /** By instrument id; iterated through `perpIds`, which is sorted. */
  readonly perps: Map<number, Perp>;
  readonly perpIds: number[];
  /** In order of creation, by account index. */
  readonly accounts: Account[];
  readonly accountIndex: Map<Address, number>;
  readonly agents: Map<Address, AgentBinding>;
  readonly signers: Map<Address, SignerNonces>;
  /** Counts changes of the accounts that addresses act for: new accounts, agents bound or revoked. Not dumped. */
  keyChanges: number;
  signersSweptMs: number;
  /** The live orders of all books. */
  readonly pool: OrderPool;
  readonly expiries: DueQueue;
  /** Reserves of isolated orders, by order id; they have left the balance (R-isolated). */
  readonly reserves: Map<number, MicroUsdc>;
  readonly triggers: TriggerBook;
  readonly groups: GroupBook;
  /** Scheduled cancellations. */
  readonly schedules: CancelSchedules;
  /** Running jobs, by `reverseJobKey`. */
  readonly reverseJobs: Map<string, ReverseJob>;
  /** Fees that builders earned and claimed, by address. */
  readonly builderRewards: Map<Address, BuilderRewards>;
  /** Live orders that a builder charges for, by order id. */
  readonly orderBuilders: Map<number, OrderBuilder>;
  readonly vaults: Map<Address, Vault>;
  /** By channel. */
  readonly gates: readonly [main: Gate, outcome: Gate];
  /** R-withdraw: those that the bridge has not settled, by id. */
  readonly withdrawals: Map<number, Withdrawal>;
  nextWithdrawalId: number;
  /** Undefined until the process opens a bridge. */
  bridge: Bridge | undefined;
  /** The current term of each lease, by its name (R-terms). */
  readonly terms: Map<string, Pick<HolderTerm, 'holder' | 'number'>>;
  readonly outcomes: Outcomes;
  /** Index of the insurance fund's account; below 0 before its first use. Derived, never dumped. */
  fundIndex: number;
  /** R-treasury: exchange fees. */
  treasury: MicroUsdc;
  /** Target value of the insurance fund at the marks of this block. Derived, never dumped. */
  insuranceTarget: MicroUsdc;
  /** Deposits, faucet included. */
  deposited: MicroUsdc;
  withdrawn: MicroUsdc;
  /** Margin accounts at a ratio of 1 or less, and the progress of their liquidation. */
  readonly liquidations: Liquidations;
  /** When the insurance fund next reduces its positions. */
  fundUnwindMs: number;
  /**
   * Distance from the mark at which the fund offers its position in a perp next, 10^-8, by instrument id; absent
   * before the first step.
   */
  readonly fundUnwindBands: Map<number, number>;
  /** Costs of the fund in the last hour, for taking over and unwinding positions. */
  readonly fundCosts: FundCosts;
  /** True if there is an open position without a valid price. Derived, never dumped. */
  hasUnpriced: boolean;
  /** The perps that a block has to check. Derived, never dumped. */
  readonly watch: PerpWatch;
  /** Records of this block for its later steps. Never dumped. */
  readonly blockRecord: BlockRecord;
  /** The time at which each margin account must be checked for liquidation. Not dumped. */
  readonly risk: RiskIndex;
  /** Counts changes of any mark, so that outdated margin sums are recognised. Not dumped. */
  markEpoch: number;
  /** Receives events of the order books; undefined except on replicas that follow. Never dumped. */
  observer: BookObserver | undefined;
  readonly digest: EffectsDigest;
};

/** A venue before its first block. */
export function createState(digestLanes?: readonly number[]): State {
  return {
    height: 0,
    timeMs: 0,
    beganMs: 0,
    parameters: undefined,
    nextOrderId: 1,
    nextTradeId: 1,
    nextRank: 1,
    perps: new Map(),
    perpIds: [],
    accounts: [],
    accountIndex: new Map(),
    agents: new Map(),
    signers: new Map(),
    keyChanges: 0,
    signersSweptMs: 0,
    pool: new OrderPool(),
    expiries: new DueQueue(),
    reserves: new Map(),
    triggers: new TriggerBook(),
    groups: new GroupBook(),
    schedules: new CancelSchedules(),
    reverseJobs: new Map(),
    builderRewards: new Map(),
    orderBuilders: new Map(),
    vaults: new Map(),
    gates: [createGate(), createGate()],
    withdrawals: new Map(),
    nextWithdrawalId: 1,
    bridge: undefined,
    terms: new Map(),
    outcomes: createOutcomes(),
    fundIndex: -1,
    treasury: ZERO_USDC,
    insuranceTarget: ZERO_USDC,
    deposited: ZERO_USDC,
    withdrawn: ZERO_USDC,
    liquidations: new Liquidations(),
    fundUnwindMs: 0,
    fundUnwindBands: new Map(),
    fundCosts: new FundCosts(),
    hasUnpriced: false,
    watch: new PerpWatch(),
    blockRecord: new BlockRecord(),
    risk: new RiskIndex(),
    markEpoch: 0,
    observer: undefined,
    digest: new EffectsDigest(digestLanes),
  };
}

/** The account of an address; undefined if it was never opened. */
export function accountAt(state: State, address: Address): Account | undefined {
  const index = state.accountIndex.get(address);
  return index === undefined ? undefined : state.accounts[index];
}

/** The account's order in the book; trigger orders are not included. */
export function findTarget(
  state: State,
  account: Account,
  { instrumentId, target }: ModifyOrderCommand,
): number {
  const { pool } = state;
  const orderId =
    'orderId' in target
      ? target.orderId
      : account.clientOrders.get(clientOrderKey(target.clientOrderId) ?? '');
  const slot = orderId === undefined ? NONE : pool.find(orderId);
  if (slot === NONE || readSlotInt(pool.account, slot) !== account.index) return NONE;
  return readSlotInt(pool.instrument, slot) === instrumentId ? slot : NONE;
}

/** The running jobs: by start, then address, then leg. */
export function allReverseJobs(state: State): ReverseJob[] {
  const addressOf = ({ accountIndex }: ReverseJob): string =>
    present(state.accounts[accountIndex], 'the account of a job').address;
  return [...state.reverseJobs.values()].sort((a, b) => {
    if (a.startedMs !== b.startedMs) return a.startedMs - b.startedMs;
    if (a.accountIndex !== b.accountIndex) return addressOf(a) < addressOf(b) ? -1 : 1;
    return holdingKey(a.instrumentId, a.leg) - holdingKey(b.instrumentId, b.leg);
  });
}

/**
 * Receives details of the order books that events do not contain: the prices that an order met and its queue position.
 * Only a replica that follows has an observer; otherwise the cost is one comparison. It changes nothing, is not part
 * of the dump or the digest, and must copy what it keeps.
 */
export interface BookObserver {
  /** A block begins; its new orders have ids starting with this one. */
  begins(nextOrderId: number): void;
  /** Called before an order is matched; for retries and partial liquidations, each time. */
  enters(arrival: BookArrival): void;
  /** A taker order reached another price and its resting size; it trades there or cancels the orders that fail their check. */
  meets(orderId: number, price: number, size: number): void;
  /** An order rests, or was amended by its owner. */
  rests(orderId: number, price: number, ahead: number | undefined): void;
  /** Called before an order leaves its book, with the size still ahead of it. */
  leaves(orderId: number, ahead: number | undefined): void;
}

/** A book when an order arrives. Prices are those of the book: YES prices on an outcome market. */
export type BookArrival = {
  readonly orderId: number;
  readonly instrumentId: number;
  /** 0 for an empty side. */
  readonly bestBid: number;
  readonly bestAsk: number;
  /** In half price units, in which the mark of an outcome market is exact. */
  readonly markHalves: number;
  /** 0 on an outcome market, which has no oracle. */
  readonly oracle: number;
};
