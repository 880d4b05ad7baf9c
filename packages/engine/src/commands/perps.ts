import { instrumentId as toInstrumentId, present } from '@oddlot/units';
import type { SkippedEntry } from '../messages/block.ts';
import type { OraclePrice, PerpChanges, PerpDefinition, PerpListing } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { hasPosition, workingOrders } from '../perp-orders/rest-order.ts';
import { definitionFault } from '../perp/definition-fault.ts';
import { advanceEma } from '../perp/mark-price.ts';
import {
  type Account,
  defaultSettings,
  holdingKey,
  settingsChanged,
  settingsOf,
} from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { setOracle } from '../perp/price-band.ts';
import { createPerp, markBandE8, type Perp, tierTable } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { restartClosing, startClosing } from '../steps/close-perps.ts';
import { checkedPerEntry, type CommandTable } from './command-row.ts';

export const PERP_COMMANDS = {
  /** Lists a perpetual. Trading starts with its first oracle price. */
  registerPerp: {
    signedBy: 'admins',
    check(state, { perp }) {
      const definition = definitionOf(state, perp);
      const { instrumentId, name } = definition;
      if (state.perps.has(instrumentId)) return { reason: 'instrumentIdUsed', instrumentId };
      for (const listed of state.perps.values()) {
        if (listed.definition.name === name) return { reason: 'nameUsed', name };
      }
      // All-digit names are reserved for ids, because requests can refer to a market by id or name.
      if (/^[0-9]+$/.test(name)) {
        return { reason: 'definitionInvalid', field: 'name', why: 'must not be digits alone' };
      }
      return definitionFault(definition, parametersOf(state).liquidationFeeE8);
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const definition = definitionOf(state, command.perp);
      const { instrumentId, name } = definition;
      const { liquidationFeeE8 } = parametersOf(state);
      state.perps.set(instrumentId, createPerp(definition, state.pool, liquidationFeeE8));
      state.perpIds.push(instrumentId);
      state.perpIds.sort((a, b) => a - b);
      state.digest.number(instrumentId);
      state.digest.text(name);
      events.push({ type: 'perpRegistered', commandIndex, instrumentId });
      return { created: { instrumentId } };
    },
  },

  /**
   * Changes a listed perpetual. A new margin table takes effect at the next margin check. A new
   * tick applies to new and amended orders; resting orders stay. A delisting is final: the closing
   * hour starts and cannot be stopped (R-delist).
   */
  setPerp: {
    signedBy: 'admins',
    check(state, { changes, delisted, instrumentId }) {
      const perp = state.perps.get(instrumentId);
      if (perp === undefined) return { reason: 'instrumentUnknown', instrumentId };
      if (perp.delisted) return { reason: 'instrumentDelisted', instrumentId };
      if (perp.closing !== undefined && delisted === true) {
        return { reason: 'marketClosing', instrumentId };
      }
      const definition = changed(perp.definition, changes);
      return definitionFault(definition, parametersOf(state).liquidationFeeE8);
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const perp = present(state.perps.get(command.instrumentId), 'a listed perp');
      redefine(state, perp, command.changes);
      if (command.halted !== undefined) setHalted(state, perp, command.halted);
      state.digest.number(command.instrumentId);
      state.digest.text(JSON.stringify(perp.definition));
      state.digest.word(perp.halted ? 1 : 0);
      if (command.delisted === true) startClosing(execution, perp);
      events.push({ type: 'perpChanged', commandIndex, instrumentId: command.instrumentId });
    },
  },

  /**
   * Records oracle prices. An observation slightly in the future counts as current. An observation
   * further ahead, or older than the previous one of its instrument, is skipped and reported; the
   * others apply (R-oracle-stale).
   */
  pushOracle: {
    signedBy: 'admins',
    check: checkedPerEntry,
    execute(execution, command) {
      const { state } = execution;
      const skipped: SkippedEntry[] = [];
      for (const [index, entry] of command.prices.entries()) {
        const perp = state.perps.get(entry.instrumentId);
        const why = fault(state, perp, entry, command.observedMs);
        if (why !== undefined || perp === undefined) {
          skipped.push({ index, why: why ?? 'instrumentUnknown' });
        } else {
          take(execution, perp, entry, Math.min(command.observedMs, state.timeMs));
        }
      }
      return skipped.length === 0 ? {} : { skipped };
    },
  },
} satisfies Partial<CommandTable>;

/** The asset id of a perp is this number plus its instrument id; USDC is asset 1. */
const ASSET_ID_BASE = 100;

/**
 * Completes a listing: a missing instrument id becomes the next free id, and a missing asset
 * becomes an asset without further data.
 */
function definitionOf(state: State, listing: PerpListing): PerpDefinition {
  const next = state.perpIds.length === 0 ? 1 : present(state.perpIds.at(-1), 'an id') + 1;
  const instrumentId = listing.instrumentId ?? toInstrumentId(next);
  const asset = listing.asset ?? {
    assetId: ASSET_ID_BASE + instrumentId,
    weiDecimals: 6,
    maxSupply: '0',
    initialWei: '0',
    archorTokenWei: '0',
  };
  return { ...listing, instrumentId, asset };
}

/**
 * Returns the definition with its changeable fields replaced. Other fields of the command are
 * ignored.
 */
function changed(definition: PerpDefinition, changes: PerpChanges): PerpDefinition {
  const bandE8 = changes.markBandE8 ?? definition.markBandE8;
  const capE8 = changes.premiumCapE8 ?? definition.premiumCapE8;
  return {
    ...definition,
    priceTick: changes.priceTick ?? definition.priceTick,
    bookTicks: changes.bookTicks ?? definition.bookTicks,
    maxLimitOrderSize: changes.maxLimitOrderSize ?? definition.maxLimitOrderSize,
    maxMarketOrderSize: changes.maxMarketOrderSize ?? definition.maxMarketOrderSize,
    takerFeeE8: changes.takerFeeE8 ?? definition.takerFeeE8,
    makerFeeE8: changes.makerFeeE8 ?? definition.makerFeeE8,
    onlyIsolated: changes.onlyIsolated ?? definition.onlyIsolated,
    impactNotionalMicroUsdc: changes.impactNotionalMicroUsdc ?? definition.impactNotionalMicroUsdc,
    ...(bandE8 === undefined ? {} : { markBandE8: bandE8 }),
    ...(capE8 === undefined ? {} : { premiumCapE8: capE8 }),
    tiers: changes.tiers ?? definition.tiers,
    tagIds: changes.tagIds ?? definition.tagIds,
  };
}

function redefine(state: State, perp: Perp, changes: PerpChanges): void {
  const before = perp.definition;
  const definition = changed(before, changes);
  // The values are compared with the command instead of by object identity, because a restored
  // state shares no objects with it.
  const hasNewTiers = changes.tiers !== undefined;
  const hasNewMode = definition.onlyIsolated !== before.onlyIsolated;
  if (hasNewMode) for (const account of state.accounts) keepMode(state, account, perp);
  perp.definition = definition;
  perp.markBandE8 = markBandE8(definition, parametersOf(state).liquidationFeeE8);
  if (hasNewTiers) {
    perp.tiers = tierTable(definition.tiers);
    perp.maxLeverage = perp.tiers.maxLeverage;
    state.markEpoch += 1;
  }
  if (!hasNewTiers && !hasNewMode) return;
  for (const account of state.accounts) {
    if (hasNewMode && definition.onlyIsolated) isolate(state, account, perp);
    realign(state, account, perp);
  }
}

/**
 * Keeps positions in their margin mode when the instrument's default changes: if an account uses
 * the instrument without its own setting, the old default becomes its setting.
 */
function keepMode(state: State, account: Account, perp: Perp): void {
  if (!isInUse(state, account, perp.definition.instrumentId)) return;
  settingsOf(account, perp, parametersOf(state).defaultLeverage);
}

/** Switches an account that has nothing open in the instrument to isolated margin. */
function isolate(state: State, account: Account, perp: Perp): void {
  const { instrumentId } = perp.definition;
  const own = account.settings.get(instrumentId);
  if (own !== undefined && !isInUse(state, account, instrumentId)) own.isIsolated = true;
}

/**
 * Updates every holding to its account's settings or to the new defaults, because a restored state
 * would derive them that way. A new table can lower margin ratios, so every margin account with a
 * position is checked again.
 */
function realign(state: State, account: Account, perp: Perp): void {
  const { instrumentId } = perp.definition;
  const settings =
    account.settings.get(instrumentId) ??
    defaultSettings(perp, parametersOf(state).defaultLeverage);
  settingsChanged(account, perp, settings);
  for (const leg of [0, 1] as const) {
    const holding = account.holdings.get(holdingKey(instrumentId, leg));
    if (holding === undefined || holding.size === 0) continue;
    state.risk.changed(account, holding.isIsolated ? holding : undefined);
  }
}

/**
 * Returns true if the account has a position or working orders in the instrument, which fix its
 * margin mode.
 */
function isInUse(state: State, account: Account, instrumentId: number): boolean {
  const { resting, tpsl, triggers } = workingOrders(state, account, instrumentId);
  return hasPosition(account, instrumentId) || resting + tpsl + triggers > 0;
}

/**
 * Halts or resumes a market (R-halt). The mark's EMA is first advanced to the current time under
 * the previous rules.
 */
function setHalted(state: State, perp: Perp, halted: boolean): void {
  if (perp.closing !== undefined) perp.closing.isHalted = halted;
  // A market that waits for a price stays halted until the price arrives (R-delist).
  if (perp.halted === halted || perp.closing?.isWaiting === true) return;
  if (perp.oracle > 0) advanceEma(perp, state.timeMs);
  perp.halted = halted;
  // A time of 0 forces the next step of this block to compute the mark under the new rules.
  perp.markMs = 0;
}

function fault(
  state: State,
  perp: Perp | undefined,
  { external, oracle }: OraclePrice,
  observedMs: number,
): SkippedEntry['why'] | undefined {
  if (perp === undefined) return 'instrumentUnknown';
  if (perp.delisted) return 'instrumentDelisted';
  if (!isPrice(oracle) || (external !== undefined && !isPrice(external))) return 'priceOutOfRange';
  const isAhead = observedMs > state.timeMs + LIMITS.observationAheadMs;
  return isAhead || observedMs < perp.oracleMs ? 'stale' : undefined;
}

function isPrice(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= LIMITS.priceMax;
}

function take(
  execution: Execution,
  perp: Perp,
  { external, instrumentId, oracle }: OraclePrice,
  atMs: number,
): void {
  const { state } = execution;
  if (perp.oracle === 0) perp.emaMs = state.timeMs;
  setOracle(perp, oracle, atMs, parametersOf(state).oracleBandE8);
  // A time of 0 forces the next step of this block to compute the mark at the new price.
  perp.markMs = 0;
  restartClosing(execution, perp);
  if (external !== undefined) {
    perp.external = external;
    perp.externalMs = atMs;
  }
  state.digest.number(instrumentId);
  state.digest.number(oracle);
  state.digest.number(atMs);
  state.digest.number(external ?? 0);
}
