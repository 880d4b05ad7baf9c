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

/**
 * The complete state of a venue. It consists only of data; the rules are in the handlers for
 * commands and steps.
 */
export type State = {
  height: number;
  timeMs: number;
  /** The time of the first log entry; actions signed before it are rejected (R-nonce). */
  beganMs: number;
  /** The venue's parameters; undefined only before the first block. */
  parameters: VenueParameters | undefined;
  nextOrderId: number;
  nextTradeId: number;
  /** The time priority of the next order that rests, as a counter. */
  nextRank: number;
  /** The perps by instrument id, iterated in the order of `perpIds`, which is sorted. */
  readonly perps: Map<number, Perp>;
  readonly perpIds: number[];
  /** The accounts by account index, in order of creation. */
  readonly accounts: Account[];
  readonly accountIndex: Map<Address, number>;
  readonly agents: Map<Address, AgentBinding>;
  readonly signers: Map<Address, SignerNonces>;
  /**
   * How often any address has changed the account it acts for, through new accounts and through
   * agents being bound or revoked. Not dumped.
   */
  keyChanges: number;
  signersSweptMs: number;
  readonly pool: OrderPool;
  readonly expiries: DueQueue;
  /**
   * The reserves of isolated orders in micro-USDC by order id, already deducted from the balance
   * (R-isolated).
   */
  readonly reserves: Map<number, MicroUsdc>;
  readonly triggers: TriggerBook;
  readonly groups: GroupBook;
  readonly schedules: CancelSchedules;
  /** The running reversals by `reverseJobKey`. */
  readonly reverseJobs: Map<string, ReverseJob>;
  /** The fees that builders have earned and claimed, by builder address. */
  readonly builderRewards: Map<Address, BuilderRewards>;
  /** The builders of live orders, by order id. */
  readonly orderBuilders: Map<number, OrderBuilder>;
  readonly vaults: Map<Address, Vault>;
  /** The access control by channel. */
  readonly gates: readonly [main: Gate, outcome: Gate];
  /** The withdrawals that the bridge has not settled, by id (R-withdraw). */
  readonly withdrawals: Map<number, Withdrawal>;
  nextWithdrawalId: number;
  /** The state of the bridge; undefined until the operator opens one. */
  bridge: Bridge | undefined;
  /** The current term of each lease, by lease name (R-terms). */
  readonly terms: Map<string, Pick<HolderTerm, 'holder' | 'number'>>;
  readonly outcomes: Outcomes;
  /**
   * The account index of the insurance fund; negative before the fund is first used. Derived, so
   * not dumped.
   */
  fundIndex: number;
  /** The exchange fees collected by the venue (R-treasury). */
  treasury: MicroUsdc;
  /** The insurance fund's target value at this block's marks. Derived, so not dumped. */
  insuranceTarget: MicroUsdc;
  /** The total deposits, including faucet payments. */
  deposited: MicroUsdc;
  withdrawn: MicroUsdc;
  /** The margin accounts with a ratio of 1 or less, and the progress of their liquidations. */
  readonly liquidations: Liquidations;
  /** The time at which the insurance fund next reduces its positions. */
  fundUnwindMs: number;
  /**
   * The distance from the mark at which the fund next offers its position in a perp, in 10^-8, by
   * instrument id. Absent before the first step.
   */
  readonly fundUnwindBands: Map<number, number>;
  /** The fund's costs over the last hour, by instrument and minute. */
  readonly fundCosts: FundCosts;
  /** True if an open position has no valid price. Derived, so not dumped. */
  hasUnpriced: boolean;
  /** The perps that the current block has to check. Derived, so not dumped. */
  readonly watch: PerpWatch;
  /** The records of the current block for its later steps. Never dumped. */
  readonly blockRecord: BlockRecord;
  /** The schedule of liquidation checks for margin accounts. Not dumped. */
  readonly risk: RiskIndex;
  /** The number of mark changes, used to recognise outdated margin sums. Not dumped. */
  markEpoch: number;
  /**
   * The observer that receives order book details on following replicas; otherwise undefined. Never
   * dumped.
   */
  observer: BookObserver | undefined;
  readonly digest: EffectsDigest;
};

/** Returns the state of a venue before its first block. */
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

export function accountAt(state: State, address: Address): Account | undefined {
  const index = state.accountIndex.get(address);
  return index === undefined ? undefined : state.accounts[index];
}

/**
 * Returns the id of the resting order that a modification targets; trigger orders are not included.
 */
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

/** Returns the running reversals, sorted by start, account address and leg. */
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
 * Receives order book details that are not in events: the prices that an order reached, and its
 * queue position. Only a following replica has an observer; if there is none, the cost is a single
 * comparison. An observer does not change the state, is not part of the dump or the digest, and
 * must copy everything it keeps.
 */
export interface BookObserver {
  /** Called when a block begins, with the id of the first order that the block can create. */
  begins(nextOrderId: number): void;
  /** Called before an order is matched, once for each retry or partial liquidation. */
  enters(arrival: BookArrival): void;
  /**
   * Called with the level's resting size when a taker order reaches another price level. The order
   * trades there or cancels the orders that fail the fill test.
   */
  meets(orderId: number, price: number, size: number): void;
  /** Called when an order rests or its owner amends it. */
  rests(orderId: number, price: number, ahead: number | undefined): void;
  /** Called before an order leaves its book, with the size still ahead of it in the queue. */
  leaves(orderId: number, ahead: number | undefined): void;
}

/**
 * The state of a book when an order arrives. Prices are as in the book, so on an outcome market
 * they are YES prices.
 */
export type BookArrival = {
  readonly orderId: number;
  readonly instrumentId: number;
  /** The best prices of the book; 0 if the side is empty. */
  readonly bestBid: number;
  readonly bestAsk: number;
  /** The mark in half price units, in which the mark of an outcome market is exact. */
  readonly markHalves: number;
  /** The oracle price; 0 on an outcome market, which has no oracle. */
  readonly oracle: number;
};
