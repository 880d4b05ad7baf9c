import { type Address, present, timeMs, usdcFromText } from '@oddlot/units';
import type { MultiSigSet, PerpDefinition } from '../messages/command.ts';
import type { VenueParameters } from '../messages/parameters.ts';
import {
  type Account,
  createAccount,
  type Holding,
  holdingOf,
  type Leg,
  type PositionMode,
} from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import type { Closing } from '../state/hours.ts';
import { setSize } from '../state/holders.ts';
import type { SignerNonces } from '../state/keys.ts';
import { createPerp, type Perp, setOracle } from '../state/perp.ts';
import { hasUnjudged } from '../perp/blind.ts';
import { createState, type State } from '../state/state.ts';
import { type BridgeDump, dumpBridge, restoreBridge } from './dump-bridge.ts';
import { dumpKeys, type KeysDump, restoreKeys } from './dump-keys.ts';
import {
  dumpLiquidations,
  type LiquidationDump,
  restoreLiquidations,
  watchEveryone,
} from './dump-liquidations.ts';
import {
  dumpOutcomeHoldings,
  dumpOutcomes,
  type OutcomeHoldingDump,
  type OutcomesDump,
  restoreMarkets,
  restoreOutcomeHoldings,
  restoreQueue,
} from './dump-outcome.ts';
import { dumpOrders, type OrderDump, ordersOfRows, restoreOrders } from './dump-orders.ts';
import { dumpOrderBlocks, type OrderBlock, ordersOfBlocks } from './order-blocks.ts';
import { dumpWaiting, restoreWaiting, type WaitingDump } from './dump-waiting.ts';

/**
 * The version of the rules that this engine applies. A release raises it when it would compute anything
 * differently from the same log or state: that opens a new era (R-era), and the engine of the era
 * before is kept in `packages/replica/eras/`.
 */
export const RULES_VERSION = 4;

/** The shape of a dump. It changes with the rules version, and may change without it. */
export const DUMP_VERSION = 8;

/** The shape of a dump in snapshots: orders in columns, past data packed. */
export const PACKED_DUMP_VERSION = 9;

/**
 * The whole state as plain data that survives JSON: canonical (same state, same text) and complete
 * (a restored state has the same future). What can be derived is left out. Money is text.
 */
export type StateDump = {
  readonly format: typeof DUMP_VERSION;
  readonly height: number;
  readonly timeMs: number;
  /** The time of the log's first entry. */
  readonly beganMs: number;
  readonly digest: readonly number[];
  readonly parameters: VenueParameters | null;
  readonly nextOrderId: number;
  readonly nextTradeId: number;
  readonly nextRank: number;
  readonly treasury: string;
  readonly deposited: string;
  readonly withdrawn: string;
  readonly signersSweptMs: number;
  /** By instrument id. */
  readonly perps: readonly PerpDump[];
  /** In order of creation. */
  readonly accounts: readonly AccountDump[];
  /** By address. */
  readonly signers: readonly SignerDump[];
  /** By order id. */
  readonly orders: readonly OrderDump[];
  readonly waiting: WaitingDump;
  readonly keys: KeysDump;
  readonly outcomes: OutcomesDump;
  readonly liquidations: readonly LiquidationDump[];
  readonly fundUnwindMs: number;
  /** By instrument id. */
  readonly fundUnwindBands: readonly (readonly [instrumentId: number, bandE8: number])[];
  /** By minute, then instrument id. */
  readonly fundCosts: readonly (readonly [instrumentId: number, minute: number, amount: string])[];
  /** By lease. */
  readonly terms: readonly (readonly [lease: string, number: number, holder: string])[];
  /** Absent until a bridge was open: what a venue without one says of itself stays the same. */
  readonly bridge?: BridgeDump;
};

/** The same for snapshots, in less room: what is past is packed, and orders stand in columns. */
export type PackedDump = Omit<StateDump, 'format' | 'orders'> & {
  readonly format: typeof PACKED_DUMP_VERSION;
  /** By order id, made as they are read: the state must stand still until then. */
  readonly orders: Iterable<OrderBlock>;
};

type SignerDump = readonly [
  signer: string,
  used: readonly number[],
  floor: number,
  isRevokedAgent: boolean,
];

type PerpDump = {
  readonly definition: PerpDefinition;
  readonly halted: boolean;
  readonly delisted: boolean;
  readonly oracle: readonly [price: number, observedMs: number];
  readonly external: readonly [price: number, observedMs: number];
  readonly mark: readonly [price: number, computedMs: number, judged: number];
  readonly ema: readonly [value: number, runMs: number];
  readonly lastTrade: readonly [price: number, tradedMs: number];
  readonly day: readonly (readonly [
    startMs: number,
    lots: number,
    notional: string,
    close: number,
  ])[];
  readonly dayPreviousClose: number;
  /** The hour in progress. */
  readonly funding: readonly [sum: string, samples: number];
  /** R-delist: null unless its closing hour has begun. */
  readonly closing: Closing | null;
};

type AccountDump = {
  readonly address: Address;
  readonly createdMs: number;
  readonly perpBalance: string;
  readonly outcomeBalance: string;
  readonly outcomeReserved: string;
  readonly withdrawHold: string;
  readonly positionMode: PositionMode;
  /** By instrument id. */
  readonly settings: readonly SettingsDump[];
  /** By label. */
  readonly agents: readonly (readonly [
    label: string,
    agent: Address,
    createdMs: number,
    updatedMs: number,
  ])[];
  /** By address. */
  readonly builders: readonly (readonly [
    builder: Address,
    maxFeeE8: number,
    maxFeeText: string,
    updatedMs: number,
  ])[];
  readonly multiSig: MultiSigSet | null;
  /** By instrument id, then leg. */
  readonly holdings: readonly HoldingDump[];
  /** By instrument id. */
  readonly outcomes: readonly OutcomeHoldingDump[];
  /** Oldest first. */
  readonly volume: readonly (readonly [day: number, notional: string])[];
};

type SettingsDump = readonly [
  instrumentId: number,
  isIsolated: boolean,
  crossLeverage: number,
  isolatedLongLeverage: number,
  isolatedShortLeverage: number,
];

type HoldingDump = readonly [
  instrumentId: number,
  leg: Leg,
  size: number,
  cost: string,
  isolatedMargin: string,
  updatedMs: number,
  feesPaid: string,
  realised: string,
  funding: readonly [allTime: string, sinceOpen: string, sinceChange: string],
];

/** The plain one: its text is what the log names the start of an era by (R-era). */
export function dump(state: State): StateDump {
  const orders = dumpOrders(state);
  return dumped(state, { format: DUMP_VERSION, orders, isPacked: false });
}

/** The one for snapshots. */
export function dumpPacked(state: State): PackedDump {
  const orders = dumpOrderBlocks(state);
  return dumped(state, { format: PACKED_DUMP_VERSION, orders, isPacked: true });
}

function dumped<Format extends number, Orders>(
  state: State,
  form: { readonly format: Format; readonly orders: Orders; readonly isPacked: boolean },
): Omit<StateDump, 'format' | 'orders'> & { readonly format: Format; readonly orders: Orders } {
  const { format, isPacked, orders } = form;
  return {
    format,
    height: state.height,
    timeMs: state.timeMs,
    beganMs: state.beganMs,
    digest: state.digest.lanes(),
    parameters: state.parameters ?? null,
    nextOrderId: state.nextOrderId,
    nextTradeId: state.nextTradeId,
    nextRank: state.nextRank,
    treasury: String(state.treasury),
    deposited: String(state.deposited),
    withdrawn: String(state.withdrawn),
    signersSweptMs: state.signersSweptMs,
    perps: state.perpIds.map((id) => dumpPerp(present(state.perps.get(id), 'a listed perp'))),
    accounts: state.accounts.map(dumpAccount),
    signers: [...state.signers.entries()]
      .map(([signer, nonces]) => dumpSigner(signer, nonces))
      .sort(([a], [b]) => byText(a, b)),
    orders,
    waiting: dumpWaiting(state),
    keys: dumpKeys(state),
    outcomes: dumpOutcomes(state, isPacked),
    liquidations: dumpLiquidations(state),
    fundUnwindMs: state.fundUnwindMs,
    fundUnwindBands: [...state.fundUnwindBands].sort(([a], [b]) => a - b),
    fundCosts: state.fundCosts
      .dump(state.timeMs)
      .map(([id, minute, amount]) => [id, minute, String(amount)] as const),
    terms: [...state.terms]
      .map(([lease, { holder, number }]) => [lease, number, holder] as const)
      .sort(([a], [b]) => byText(a, b)),
    ...(state.bridge === undefined ? {} : { bridge: dumpBridge(state.bridge) }),
  };
}

export function restore(plain: StateDump | PackedDump): State {
  const state = createState(plain.digest);
  state.height = plain.height;
  state.timeMs = plain.timeMs;
  state.beganMs = plain.beganMs;
  state.parameters = plain.parameters ?? undefined;
  state.nextOrderId = plain.nextOrderId;
  state.nextTradeId = plain.nextTradeId;
  state.nextRank = plain.nextRank;
  state.treasury = usdcFromText(plain.treasury);
  state.deposited = usdcFromText(plain.deposited);
  state.withdrawn = usdcFromText(plain.withdrawn);
  state.signersSweptMs = plain.signersSweptMs;
  for (const perp of plain.perps) restorePerp(state, perp);
  restoreMarkets(state, plain.outcomes);
  for (const account of plain.accounts) restoreAccount(state, account);
  for (const [signer, used, floor, isRevokedAgent] of plain.signers) {
    state.signers.set(signer as Address, {
      used: [...used],
      floor,
      isRevokedAgent,
      scrambled: undefined,
    });
  }
  const isPacked = plain.format === PACKED_DUMP_VERSION;
  restoreOrders(state, isPacked ? ordersOfBlocks(plain.orders) : ordersOfRows(plain.orders));
  restoreQueue(state, plain.outcomes);
  restoreWaiting(state, plain.waiting);
  restoreKeys(state, plain.keys);
  restoreLiquidations(state, plain.liquidations);
  state.fundUnwindMs = plain.fundUnwindMs;
  for (const [id, bandE8] of plain.fundUnwindBands) state.fundUnwindBands.set(id, bandE8);
  state.fundCosts.restore(
    plain.fundCosts.map(([id, minute, amount]) => [id, minute, usdcFromText(amount)] as const),
  );
  state.hasUnjudged = hasUnjudged(state);
  for (const [lease, number, holder] of plain.terms) state.terms.set(lease, { number, holder });
  state.bridge = restoreBridge(plain.bridge);
  watchEveryone(state);
  return state;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function dumpPerp(perp: Perp): PerpDump {
  const { buckets, previousClose } = perp.day.dump();
  return {
    definition: perp.definition,
    halted: perp.halted,
    delisted: perp.delisted,
    oracle: [perp.oracle, perp.oracleMs],
    external: [perp.external, perp.externalMs],
    mark: [perp.mark, perp.markMs, perp.judgedMark],
    ema: [perp.ema, perp.emaMs],
    lastTrade: [perp.lastTrade, perp.lastTradeMs],
    day: buckets.map((hour) => [hour.startMs, hour.lots, String(hour.notional), hour.close]),
    dayPreviousClose: previousClose,
    funding: [String(perp.funding.sum), perp.funding.samples],
    closing: perp.closing === undefined ? null : { ...perp.closing },
  };
}

function restorePerp(state: State, plain: PerpDump): void {
  const perp = createPerp(plain.definition, state.pool, parametersOf(state).liquidationFeeE8);
  perp.halted = plain.halted;
  perp.delisted = plain.delisted;
  const [oracle, oracleMs] = plain.oracle;
  if (oracle > 0) setOracle(perp, oracle, oracleMs, parametersOf(state).oracleBandE8);
  [perp.external, perp.externalMs] = plain.external;
  [perp.mark, perp.markMs, perp.judgedMark] = plain.mark;
  [perp.ema, perp.emaMs] = plain.ema;
  [perp.lastTrade, perp.lastTradeMs] = plain.lastTrade;
  const hours = plain.day.map(([startMs, lots, notional, close]) => ({
    startMs,
    lots,
    notional: BigInt(notional),
    close,
  }));
  perp.day.restore(hours, plain.dayPreviousClose);
  const [fundingSum, samples] = plain.funding;
  perp.funding.sum = BigInt(fundingSum);
  perp.funding.samples = samples;
  perp.closing = plain.closing === null ? undefined : { ...plain.closing };
  const id = plain.definition.instrumentId;
  state.perps.set(id, perp);
  state.perpIds.push(id);
}

function dumpAccount(account: Account): AccountDump {
  return {
    address: account.address,
    createdMs: account.createdMs,
    perpBalance: String(account.perpBalance),
    outcomeBalance: String(account.outcomeBalance),
    outcomeReserved: String(account.outcomeReserved),
    withdrawHold: String(account.withdrawHold),
    positionMode: account.positionMode,
    settings: [...account.settings.entries()]
      .sort(([a], [b]) => a - b)
      .map(([id, { isIsolated, crossLeverage, isolatedLeverage }]) => [
        id,
        isIsolated,
        crossLeverage,
        ...isolatedLeverage,
      ]),
    agents: [...account.agents.entries()]
      .map(
        ([label, { agent, createdMs, updatedMs }]) => [label, agent, createdMs, updatedMs] as const,
      )
      .sort(([a], [b]) => byText(a, b)),
    builders: [...account.builders.entries()]
      .map(([builder, each]) => [builder, each.maxFeeE8, each.maxFeeText, each.updatedMs] as const)
      .sort(([a], [b]) => byText(a, b)),
    multiSig: account.multiSig ?? null,
    holdings: [...account.holdings.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, holding]) => dumpHolding(holding)),
    outcomes: dumpOutcomeHoldings(account),
    volume: account.volume.days.map(({ day, notional }) => [day, String(notional)]),
  };
}

function dumpHolding(holding: Holding): HoldingDump {
  const { allTime, sinceChange, sinceOpen } = holding.funding;
  return [
    holding.perp.definition.instrumentId,
    holding.leg,
    holding.size,
    String(holding.cost),
    String(holding.isolatedMargin),
    holding.updatedMs,
    String(holding.feesPaid),
    String(holding.realised),
    [String(allTime), String(sinceOpen), String(sinceChange)],
  ];
}

function restoreAccount(state: State, plain: AccountDump): void {
  const account = createAccount(state.accounts.length, plain.address, timeMs(plain.createdMs));
  account.perpBalance = usdcFromText(plain.perpBalance);
  account.outcomeBalance = usdcFromText(plain.outcomeBalance);
  account.outcomeReserved = usdcFromText(plain.outcomeReserved);
  account.withdrawHold = usdcFromText(plain.withdrawHold);
  account.multiSig = plain.multiSig ?? undefined;
  for (const [builder, maxFeeE8, maxFeeText, updatedMs] of plain.builders) {
    account.builders.set(builder, { maxFeeE8, maxFeeText, updatedMs: timeMs(updatedMs) });
  }
  for (const [label, agent, createdMs, updatedMs] of plain.agents) {
    const record = { agent, createdMs: timeMs(createdMs), updatedMs: timeMs(updatedMs) };
    account.agents.set(label, record);
    state.agents.set(agent, { accountIndex: account.index, label });
  }
  account.positionMode = plain.positionMode;
  for (const [id, isIsolated, crossLeverage, long, short] of plain.settings) {
    account.settings.set(id, { isIsolated, crossLeverage, isolatedLeverage: [long, short] });
  }
  for (const holding of plain.holdings) restoreHolding(state, account, holding);
  restoreOutcomeHoldings(state, account, plain.outcomes);
  for (const [day, notional] of plain.volume) {
    account.volume.days.push({ day, notional: usdcFromText(notional) });
  }
  state.accounts.push(account);
  state.accountIndex.set(plain.address, account.index);
}

function restoreHolding(state: State, account: Account, plain: HoldingDump): void {
  const [id, leg, size, cost, isolatedMargin, updatedMs, feesPaid, realised, funding] = plain;
  const perp = present(state.perps.get(id), 'a listed perp');
  const holding = holdingOf(account, perp, leg, parametersOf(state).defaultLeverage);
  setSize(state, holding, size);
  holding.cost = usdcFromText(cost);
  holding.isolatedMargin = usdcFromText(isolatedMargin);
  holding.updatedMs = timeMs(updatedMs);
  holding.feesPaid = usdcFromText(feesPaid);
  holding.realised = usdcFromText(realised);
  const [allTime, sinceOpen, sinceChange] = funding;
  holding.funding.allTime = usdcFromText(allTime);
  holding.funding.sinceOpen = usdcFromText(sinceOpen);
  holding.funding.sinceChange = usdcFromText(sinceChange);
}

function dumpSigner(signer: Address, nonces: SignerNonces): SignerDump {
  return [signer, [...nonces.used], nonces.floor, nonces.isRevokedAgent];
}
