import { type Address, type MicroUsdc, present, ZERO_USDC } from '@oddlot/units';
import { NONE, OrderPool, readSlotInt } from '../book/order-pool.ts';
import { EffectsDigest } from '../collections/effects-digest.ts';
import { DueQueue } from '../collections/heap.ts';
import { clientOrderKey, type HolderTerm, type ModifyOrderCommand } from '../messages/command.ts';
import type { VenueParameters } from '../messages/parameters.ts';
import { type Account, type BuilderRewards, holdingKey, type OrderBuilder } from './account.ts';
import type { Bridge, Withdrawal } from './bridge.ts';
import { CancelSchedules, GroupBook, type ReverseJob } from './waiting.ts';
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

/** Everything that exists. Data only: rules live in the handlers, arithmetic beside them. */
export type State = {
  height: number;
  timeMs: number;
  /** The time of the log's first entry; nothing that was signed before counts (R-nonce). */
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
  /** In order of creation; an account's place here is its index. */
  readonly accounts: Account[];
  readonly accountIndex: Map<Address, number>;
  readonly agents: Map<Address, AgentBinding>;
  readonly signers: Map<Address, SignerNonces>;
  /** Counts changes of whom an address acts for: new accounts, agents bound and let go. Not dumped. */
  keyChanges: number;
  signersSweptMs: number;
  /** The live orders of all books. */
  readonly pool: OrderPool;
  readonly expiries: DueQueue;
  /** What isolated orders hold back, by order id; it has left the balance (R-isolated). */
  readonly reserves: Map<number, MicroUsdc>;
  readonly triggers: TriggerBook;
  readonly groups: GroupBook;
  /** Dead man's switches. */
  readonly schedules: CancelSchedules;
  /** Running jobs, by `reverseJobKey`. */
  readonly reverseJobs: Map<string, ReverseJob>;
  /** What builders earned and took, by address. */
  readonly builderRewards: Map<Address, BuilderRewards>;
  /** Live orders that a builder charges for, by order id. */
  readonly orderBuilders: Map<number, OrderBuilder>;
  readonly vaults: Map<Address, Vault>;
  /** By channel. */
  readonly gates: readonly [main: Gate, outcome: Gate];
  /** R-withdraw: those that the bridge has not settled, by id. */
  readonly withdrawals: Map<number, Withdrawal>;
  nextWithdrawalId: number;
  /** Undefined until the process tells of a settlement chain. */
  bridge: Bridge | undefined;
  /** The current term of each lease, by its name (R-terms). */
  readonly terms: Map<string, Pick<HolderTerm, 'holder' | 'number'>>;
  readonly outcomes: Outcomes;
  /** Which account is the insurance fund's, below 0 until somebody asks. Derived, never dumped. */
  fundIndex: number;
  /** R-treasury: exchange fees. */
  treasury: MicroUsdc;
  /** What the insurance fund should hold, at the marks of this block. Derived, never dumped. */
  insuranceTarget: MicroUsdc;
  /** Deposits, faucet included. */
  deposited: MicroUsdc;
  withdrawn: MicroUsdc;
  /** Scopes at a ratio of 1 or less, and how far their liquidation is. */
  readonly liquidations: Liquidations;
  /** When the insurance fund next reduces its positions. */
  fundUnwindMs: number;
  /**
   * How far from the mark it offers its position in a perp next, 10^-8, by instrument id; one that is
   * not here starts with the first step.
   */
  readonly fundUnwindBands: Map<number, number>;
  /** What taking over and unwinding has cost the fund in the last hour. */
  readonly fundCosts: FundCosts;
  /** Whether a market that somebody holds a position in cannot be judged now. Derived, never dumped. */
  hasUnpriced: boolean;
  /** Which perps a block has to look at. Derived, never dumped. */
  readonly watch: PerpWatch;
  /** What this block has done so far that its liquidations have to know. Never dumped. */
  readonly blockRecord: BlockRecord;
  /** Who has to be looked at for liquidation, and when. Not dumped. */
  readonly risk: RiskIndex;
  /** Counts changes of any mark, so that cached margins know when they are old. Not dumped. */
  markEpoch: number;
  /** Who is told how orders fare in their books; undefined where nobody asks. Never dumped. */
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

/** The account under an address; undefined when nobody has opened it. */
export function accountAt(state: State, address: Address): Account | undefined {
  const index = state.accountIndex.get(address);
  return index === undefined ? undefined : state.accounts[index];
}

/** The account's own order in the book; an order that waits for the mark is not there. */
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

/** The jobs under way: by start, then address, then leg. */
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
 * Whoever wants to know how orders fare in their books beyond what events say: what an order met when it came, and where
 * it stands in its queue. Only a replica that follows has one: trading pays a look whether it is there. It changes
 * nothing, is no part of the state that is dumped or hashed, and what it is told it must not keep as it is.
 */
export interface BookObserver {
  /** A block begins; orders that come in it have ids from this one on. */
  begins(nextOrderId: number): void;
  /** An order is about to meet its book. One that tries again, or goes in parts, comes here each time. */
  enters(arrival: BookArrival): void;
  /** An order that is matched has come to another price, at which so many lots rest: it trades there, or cancels what it may not trade with. */
  meets(orderId: number, price: number, size: number): void;
  /** An order rests, or its owner has amended it. */
  rests(orderId: number, price: number, ahead: number | undefined): void;
  /** An order is about to leave its book; what is ahead of it is what was not traded before it. */
  leaves(orderId: number, ahead: number | undefined): void;
}

/** A book at the moment when an order meets it. Prices are the book's own: those of YES on an outcome market. */
export type BookArrival = {
  readonly orderId: number;
  readonly instrumentId: number;
  /** 0 for a side that is empty. */
  readonly bestBid: number;
  readonly bestAsk: number;
  /** In half price units, in which the mark of an outcome market is exact. */
  readonly markHalves: number;
  /** 0 on an outcome market: nobody tells the price of a share. */
  readonly oracle: number;
};
