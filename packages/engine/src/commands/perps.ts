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

/** Listing and changing perpetuals, and their oracle prices. */
export const PERP_COMMANDS = {
  /** Lists a perpetual. It trades from its first oracle price. */
  registerPerp: {
    signedBy: 'admins',
    check(state, { perp }) {
      const definition = definitionOf(state, perp);
      const { instrumentId, name } = definition;
      if (state.perps.has(instrumentId)) return { reason: 'instrumentIdUsed', instrumentId };
      for (const listed of state.perps.values()) {
        if (listed.definition.name === name) return { reason: 'nameUsed', name };
      }
      // Where an id or a name may stand, digits are an id.
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
   * Changes a listed perpetual. A new margin table applies to the next margin check, a new tick to new and amended
   * orders; resting orders stay. A delisting is final: its closing hour starts and cannot be stopped (R-delist).
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
   * Takes prices of the reference markets. An observation from a little ahead counts as now; one from further ahead,
   * or older than the last one of its instrument, is skipped and reported; the others apply (R-oracle-stale).
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

/** USDC is asset 1 and a perp's own asset follows its instrument id from here on. */
const ASSET_ID_BASE = 100;

/** Fills in what a listing leaves to the venue: the next id after the largest, a bare asset. */
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

/** The definition with what may change exchanged; anything else in the command is not looked at. */
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
  // By what the command says, not by which object it is: a restored state shares none with it.
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
 * A position keeps its margin mode when the instrument's default changes: an account that works in
 * the instrument without ever having said how gets the old default as its own setting.
 */
function keepMode(state: State, account: Account, perp: Perp): void {
  if (!isInUse(state, account, perp.definition.instrumentId)) return;
  settingsOf(account, perp, parametersOf(state).defaultLeverage);
}

/** Where nothing is open, only-isolated holds at once. */
function isolate(state: State, account: Account, perp: Perp): void {
  const { instrumentId } = perp.definition;
  const own = account.settings.get(instrumentId);
  if (own !== undefined && !isInUse(state, account, instrumentId)) own.isIsolated = true;
}

/**
 * Brings every holding in step with its settings, or with the new defaults where there are none: a restored state
 * would read them so. A ratio may have fallen with a new table, so all who hold a position are looked at.
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

/** True with a position or working orders in the instrument: its margin mode is then fixed. */
function isInUse(state: State, account: Account, instrumentId: number): boolean {
  const { resting, tpsl, triggers } = workingOrders(state, account, instrumentId);
  return hasPosition(account, instrumentId) || resting + tpsl + triggers > 0;
}

/** R-halt. The average that the mark is made of runs up to now by the rules that held until now. */
function setHalted(state: State, perp: Perp, halted: boolean): void {
  if (perp.closing !== undefined) perp.closing.isHalted = halted;
  // One that waits for a price stays halted until it comes (R-delist).
  if (perp.halted === halted || perp.closing?.isWaiting === true) return;
  if (perp.oracle > 0) advanceEma(perp, state.timeMs);
  perp.halted = halted;
  // A mark of the other regime is computed anew in the next step of this block.
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
  // A mark of an older time is computed anew in the next step of this block.
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
