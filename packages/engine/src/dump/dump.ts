import { type Address, present, usdcFromText } from '@oddlot/units';
import { byKey, byText } from '../collections/sorting.ts';
import type { DepositSource } from '../messages/command.ts';
import { type Bridge, createBridge, depositKey } from '../state/bridge.ts';
import { parametersOf } from '../state/execution.ts';
import { setOracle } from '../perp/price-band.ts';
import { createPerp, type Perp } from '../state/perp.ts';
import { hasUnpriced } from '../perp/margin-restriction.ts';
import { createState, type State } from '../state/state.ts';
import {
  dumpAccount,
  dumpKeys,
  dumpLiquidations,
  restoreAccount,
  restoreKeys,
  restoreLiquidations,
  watchAllAccounts,
} from './dump-accounts.ts';
import {
  dumpOrderBlocks,
  dumpOrders,
  ordersOfBlocks,
  ordersOfRows,
  restoreOrders,
} from './dump-orders.ts';
import { dumpOutcomes, restoreMarkets, restoreQueue } from './dump-outcome.ts';
import { dumpWaiting, restoreWaiting } from './dump-waiting.ts';

/**
 * The version of the rules that this engine applies. A release increases it if it would compute any
 * result differently from the same log or state. The increase begins a new era (R-era), and the
 * engine of the previous era is kept in `packages/replica/eras/`.
 */
export const RULES_VERSION = 4;

/**
 * The format version of a dump. It changes with the rules version, and can also change on its own.
 */
export const DUMP_VERSION = 8;

/** The format version of a dump in snapshots, with orders in columns and past data packed. */
export const PACKED_DUMP_VERSION = 9;

/**
 * The whole state as plain data that survives JSON. It is canonical (equal states have equal dumps)
 * and complete (a restored state behaves identically). Values that can be derived are omitted, and
 * money is a string. The log identifies the start of an era by the hash of this JSON (R-era).
 */
export type StateDump = ReturnType<typeof dump>;

/**
 * A smaller form of the dump for snapshots: settled events are packed, and orders are in columns.
 * The columns are built when they are read, so the state must not change until then.
 */
export type PackedDump = ReturnType<typeof dumpPacked>;

type PerpDump = ReturnType<typeof dumpPerp>;

export function dump(state: State) {
  return dumpAs(state, { format: DUMP_VERSION, orders: dumpOrders(state), isPacked: false });
}

export function dumpPacked(state: State) {
  const orders = dumpOrderBlocks(state);
  return dumpAs(state, { format: PACKED_DUMP_VERSION, orders, isPacked: true });
}

function dumpAs<const Format extends number, Orders>(
  state: State,
  form: { readonly format: Format; readonly orders: Orders; readonly isPacked: boolean },
) {
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
    signers: byKey(state.signers).map(
      ([signer, { floor, isRevokedAgent, used }]) =>
        [signer, [...used], floor, isRevokedAgent] as const,
    ),
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
    terms: byKey(state.terms).map(
      ([lease, { holder, number }]) => [lease, number, holder] as const,
    ),
    /** The field is absent until the venue opens a bridge. */
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
  state.hasUnpriced = hasUnpriced(state);
  for (const [lease, number, holder] of plain.terms) state.terms.set(lease, { number, holder });
  state.bridge = plain.bridge === undefined ? undefined : restoreBridge(plain.bridge);
  watchAllAccounts(state);
  return state;
}

function dumpPerp(perp: Perp) {
  const { buckets, previousClose } = perp.day.dump();
  return {
    definition: perp.definition,
    halted: perp.halted,
    delisted: perp.delisted,
    oracle: [perp.oracle, perp.oracleMs] as const,
    external: [perp.external, perp.externalMs] as const,
    mark: [perp.mark, perp.markMs, perp.lastValidMark] as const,
    ema: [perp.ema, perp.emaMs] as const,
    lastTrade: [perp.lastTrade, perp.lastTradeMs] as const,
    day: buckets.map(
      ({ close, lots, notional, startMs }) => [startMs, lots, String(notional), close] as const,
    ),
    dayPreviousClose: previousClose,
    /** The premium samples of the current hour. */
    funding: [String(perp.funding.sum), perp.funding.samples] as const,
    /** The field is null before the closing hour (R-delist). */
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
  [perp.mark, perp.markMs, perp.lastValidMark] = plain.mark;
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

function dumpBridge(bridge: Bridge) {
  const { chainId, contract, credited, cursor, floors, kept, pegs, token, unusedAgents } = bridge;
  return {
    chainId,
    contract,
    token,
    /** The deposits are in the order in which they were credited. */
    credited: [...credited.values()].map(
      (each) => [...depositRow(each), each.account, String(each.amount)] as const,
    ),
    /**
     * The deposits are in the order in which they were reported. The field is absent if there are
     * none.
     */
    ...(kept.size === 0 ? {} : { kept: [...kept.values()].map(depositRow) }),
    floors: [...floors]
      .map(([chain, { blockNumber, logIndex }]) => [chain, blockNumber, logIndex] as const)
      .sort(([a], [b]) => a - b),
    creditedTotal: String(bridge.creditedTotal),
    cursor: [cursor.blockNumber, cursor.logIndex] as const,
    bookedBlock: bridge.bookedBlock,
    unusedAgents: [...unusedAgents.keys()].sort(byText),
    /** The addresses are in the order of registration. */
    pegs: [...pegs.keys()],
    reserves: bridge.reserves ?? null,
  };
}

function depositRow({ blockNumber, chainId, logIndex, txHash }: DepositSource) {
  return [chainId, txHash, logIndex, blockNumber] as const;
}

function restoreBridge(plain: ReturnType<typeof dumpBridge>): Bridge {
  const bridge = createBridge(plain);
  for (const [chainId, txHash, logIndex, blockNumber, account, amount] of plain.credited) {
    const source = { chainId, txHash, logIndex, blockNumber };
    bridge.credited.set(depositKey(source), { ...source, account, amount: usdcFromText(amount) });
  }
  for (const [chainId, txHash, logIndex, blockNumber] of plain.kept ?? []) {
    const source = { chainId, txHash, logIndex, blockNumber };
    bridge.kept.set(depositKey(source), source);
  }
  for (const [chainId, blockNumber, logIndex] of plain.floors) {
    bridge.floors.set(chainId, { blockNumber, logIndex });
  }
  bridge.creditedTotal = usdcFromText(plain.creditedTotal);
  const [blockNumber, logIndex] = plain.cursor;
  bridge.cursor = { blockNumber, logIndex };
  bridge.bookedBlock = plain.bookedBlock;
  for (const agent of plain.unusedAgents) bridge.unusedAgents.set(agent, true);
  for (const peg of plain.pegs) bridge.pegs.set(peg, true);
  bridge.reserves = plain.reserves ?? undefined;
  return bridge;
}
