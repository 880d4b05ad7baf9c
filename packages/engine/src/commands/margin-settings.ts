import { addUsdc, maxUsdc, microUsdc, negUsdc, present, subUsdc, ZERO_USDC } from '@oddlot/units';
import { postToBalance } from '../ledger/post.ts';
import type {
  UpdateIsolatedMarginCommand,
  UpdateLeverageCommand,
  UpdateMarginModeCommand,
} from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { hasPosition, workingOrders } from '../perp-orders/rest-order.ts';
import { crossScope, availableValue } from '../perp/margin-restriction.ts';
import { freeInCross, removableMargin } from '../perp/free-margin.ts';
import { exposureOf, initialMargin, isolatedEquity } from '../perp/margin.ts';
import {
  type Account,
  type Holding,
  holdingKey,
  type InstrumentSettings,
  type Leg,
  settingsChanged,
  settingsOf,
  defaultSettings,
  leverageOf,
} from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { type Perp, tierOf } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { BY_AGENT, type CommandTable } from './command-row.ts';

export const MARGIN_COMMANDS = {
  /**
   * Sets the leverage of an instrument for one margin mode; the mode itself changes only on
   * request.
   */
  updateLeverage: {
    ...BY_AGENT,
    check(state, account, command) {
      const { instrumentId, leverage } = command;
      const target = targetOf(state, account, command);
      if (target === undefined) return { reason: 'instrumentUnknown', instrumentId };
      const isSigned = account.positionMode === 'hedge' && target.isIsolated;
      if (leverage === 0 || (leverage < 0 && !isSigned))
        return { reason: 'leverageInvalid', leverage };
      const marginMode = target.isIsolated ? 'isolated' : 'cross';
      const modeReject =
        command.switchesMode && checkMode(state, account, { instrumentId, marginMode });
      if (modeReject !== undefined) return modeReject;
      const isCurrent = isCurrentMode(account, target);
      if (command.switchesMode === true && isUnchanged(state, account, target, leverage)) {
        return undefined;
      }
      if (isCurrent) {
        const working = workingOrders(state, account, instrumentId);
        if (working.resting > 0) return { reason: 'leverageOpenOrders' };
        if (working.tpsl > 0) return { reason: 'leverageTpslOrders' };
        if (working.triggers > 0) return { reason: 'leverageTriggerOrders' };
      }
      const magnitude = Math.abs(leverage);
      const holdings = isCurrent ? scopeHoldings(account, target) : [];
      const largest = Math.max(0, ...holdings.map(({ size }) => Math.abs(size)));
      const max = tierOf(target.perp.tiers, largest).maxLeverage;
      if (magnitude > max) return { reason: 'leverageTooHigh', instrumentId, max };
      return checkMarginAt(state, account, target, holdings, magnitude);
    },
    execute(execution, account, command) {
      const { state } = execution;
      const target = present(targetOf(state, account, command), 'a listed perp');
      const { perp, isIsolated, leg } = target;
      const leverage = Math.abs(command.leverage);
      const settings = settingsOf(account, perp, parametersOf(state).defaultLeverage);
      const holding = activeHolding(account, target);
      if (isIsolated && holding !== undefined) drawMissing(state, account, holding, leverage);
      setLeverage(settings, account, { isIsolated, leg }, leverage);
      if (command.switchesMode === true) settings.isIsolated = isIsolated;
      settingsChanged(account, perp, settings);
      emitSettings(execution, account);
    },
  },

  /**
   * Switches an instrument between cross and isolated margin. Setting the current mode again always
   * succeeds.
   */
  updateMarginMode: {
    ...BY_AGENT,
    check: checkMode,
    execute(execution, account, command) {
      const { state } = execution;
      const perp = present(state.perps.get(command.instrumentId), 'a listed perp');
      const settings = settingsOf(account, perp, parametersOf(state).defaultLeverage);
      settings.isIsolated = command.marginMode === 'isolated';
      settingsChanged(account, perp, settings);
      emitSettings(execution, account);
    },
  },

  /**
   * Moves free cross margin to an isolated position, or removable margin back to the cross balance.
   */
  updateIsolatedMargin: {
    ...BY_AGENT,
    check(state, account, command) {
      const { instrumentId } = command;
      if (!state.perps.has(instrumentId)) return { reason: 'instrumentUnknown', instrumentId };
      const holding = isolatedHolding(account, command);
      if (holding === undefined) return { reason: 'isolatedPositionMissing', instrumentId };
      const amount = microUsdc(command.amountMicroUsdc);
      if (amount > 0n) {
        const available = freeInCross(state, account);
        return amount <= available
          ? undefined
          : { reason: 'balanceInsufficient', required: amount, available };
      }
      const available = removableMargin(state, account, holding);
      const required = negUsdc(amount);
      return required <= available ? undefined : { reason: 'marginNotFree', required, available };
    },
    execute(execution, account, command) {
      const { state } = execution;
      const holding = present(isolatedHolding(account, command), 'an isolated position');
      const amount = microUsdc(command.amountMicroUsdc);
      holding.isolatedMargin = addUsdc(holding.isolatedMargin, amount);
      state.risk.changed(account, holding);
      postToBalance(state, account, negUsdc(amount));
      state.digest.amount(holding.isolatedMargin);
      emitSettings(execution, account);
    },
  },

  /** Switches the whole account between one-way and hedge mode (R-hedge). */
  updatePositionMode: {
    ...BY_AGENT,
    check(state, account, { mode }) {
      if (mode === account.positionMode) return undefined;
      if (hasPosition(account)) return { reason: 'positionModeOpenPositions' };
      const working = workingOrders(state, account);
      const count = working.resting + working.tpsl + working.triggers;
      return count > 0 ? { reason: 'positionModeOpenOrders' } : undefined;
    },
    execute(execution, account, command) {
      account.positionMode = command.mode;
      emitSettings(execution, account);
    },
  },
} satisfies Partial<CommandTable>;

/**
 * Returns the reason that an instrument's margin mode cannot change; setting the current mode
 * always succeeds.
 */
function checkMode(
  state: State,
  account: Account,
  { instrumentId, marginMode }: Pick<UpdateMarginModeCommand, 'instrumentId' | 'marginMode'>,
): Reject | undefined {
  const perp = state.perps.get(instrumentId);
  if (perp === undefined) return { reason: 'instrumentUnknown', instrumentId };
  const current = account.settings.get(instrumentId)?.isIsolated ?? perp.definition.onlyIsolated;
  if ((marginMode === 'isolated') === current) return undefined;
  if (marginMode === 'cross' && perp.definition.onlyIsolated) {
    return { reason: 'onlyIsolated', instrumentId };
  }
  if (hasPosition(account, instrumentId)) return { reason: 'marginModeOpenPositions' };
  const working = workingOrders(state, account, instrumentId);
  const count = working.resting + working.tpsl + working.triggers;
  return count > 0 ? { reason: 'marginModeOpenOrders' } : undefined;
}

/**
 * The leverage that a command sets: for one margin mode and, with isolated margin in hedge mode,
 * for one side (R-leverage).
 */
type Target = { readonly perp: Perp; readonly isIsolated: boolean; readonly leg: Leg };

function checkMarginAt(
  state: State,
  account: Account,
  target: Target,
  holdings: readonly Holding[],
  leverage: number,
): Reject | undefined {
  if (target.isIsolated) {
    let required = 0n;
    for (const holding of holdings) required += missingMargin(state, account, holding, leverage);
    const available = freeInCross(state, account);
    return required <= available
      ? undefined
      : { reason: 'marginInsufficient', required: microUsdc(required), available };
  }
  const available = availableValue(state, crossScope(account));
  let required: bigint = account.margin.initial;
  for (const holding of holdings) {
    required += initialMargin(target.perp, exposureOf(holding), leverage) - holding.initial;
  }
  const isRaised = required > account.margin.initial;
  return !isRaised || required <= available
    ? undefined
    : { reason: 'marginInsufficient', required: microUsdc(required), available };
}

/**
 * Returns the additional margin that a position needs at a lower leverage. A higher leverage
 * releases no margin.
 */
function missingMargin(state: State, account: Account, holding: Holding, leverage: number): bigint {
  const required = initialMargin(holding.perp, Math.abs(holding.size), leverage);
  const before = initialMargin(holding.perp, Math.abs(holding.size), holding.leverage);
  if (required <= before) return 0n;
  const missing = subUsdc(required, isolatedEquity(state, account, holding));
  return maxUsdc(missing, ZERO_USDC);
}

function drawMissing(state: State, account: Account, holding: Holding, leverage: number): void {
  const missing = microUsdc(missingMargin(state, account, holding, leverage));
  if (missing === 0n) return;
  holding.isolatedMargin = microUsdc(holding.isolatedMargin + missing);
  postToBalance(state, account, negUsdc(missing));
}

function targetOf(
  state: State,
  account: Account,
  command: UpdateLeverageCommand,
): Target | undefined {
  const perp = state.perps.get(command.instrumentId);
  if (perp === undefined) return undefined;
  const current =
    account.settings.get(command.instrumentId)?.isIsolated ?? perp.definition.onlyIsolated;
  const isIsolated = command.marginMode === undefined ? current : command.marginMode === 'isolated';
  const isShort = account.positionMode === 'hedge' && isIsolated && command.leverage < 0;
  return { perp, isIsolated, leg: isShort ? 1 : 0 };
}

/**
 * Returns true if the instrument already has this leverage and mode. Clients that set both together
 * send the command before every order, so it must succeed even with open orders.
 */
function isUnchanged(state: State, account: Account, target: Target, leverage: number): boolean {
  if (!isCurrentMode(account, target)) return false;
  const id = target.perp.definition.instrumentId;
  const settings =
    account.settings.get(id) ?? defaultSettings(target.perp, parametersOf(state).defaultLeverage);
  return leverageOf(settings, target.leg, target.isIsolated) === leverage;
}

function isCurrentMode(account: Account, { perp, isIsolated }: Target): boolean {
  const id = perp.definition.instrumentId;
  const current = account.settings.get(id)?.isIsolated ?? perp.definition.onlyIsolated;
  return current === isIsolated;
}

/** Returns the positions whose margin depends on the leverage. */
function scopeHoldings(account: Account, { perp, isIsolated, leg }: Target): Holding[] {
  const legs: readonly Leg[] = isIsolated ? [leg] : [0, 1];
  return legs.flatMap((each) => {
    const holding = account.holdings.get(holdingKey(perp.definition.instrumentId, each));
    return holding === undefined ? [] : [holding];
  });
}

function activeHolding(account: Account, target: Target): Holding | undefined {
  if (!isCurrentMode(account, target)) return undefined;
  const holding = account.holdings.get(holdingKey(target.perp.definition.instrumentId, target.leg));
  return holding?.size === 0 ? undefined : holding;
}

function setLeverage(
  settings: InstrumentSettings,
  account: Account,
  { isIsolated, leg }: { readonly isIsolated: boolean; readonly leg: Leg },
  leverage: number,
): void {
  if (!isIsolated) settings.crossLeverage = leverage;
  else if (account.positionMode === 'hedge') settings.isolatedLeverage[leg] = leverage;
  else settings.isolatedLeverage.fill(leverage);
}

function isolatedHolding(
  account: Account,
  { instrumentId, isBuy }: UpdateIsolatedMarginCommand,
): Holding | undefined {
  const leg = account.positionMode === 'hedge' && !isBuy ? 1 : 0;
  const holding = account.holdings.get(holdingKey(instrumentId, leg));
  return holding !== undefined && holding.isIsolated && holding.size !== 0 ? holding : undefined;
}

function emitSettings(execution: Execution, account: Account): void {
  const { commandIndex, events, state } = execution;
  state.digest.word(account.index);
  state.digest.text(account.positionMode);
  for (const [id, settings] of account.settings) {
    state.digest.number(id);
    state.digest.word(settings.isIsolated ? 1 : 0);
    state.digest.word(settings.crossLeverage);
    state.digest.word(settings.isolatedLeverage[0]);
    state.digest.word(settings.isolatedLeverage[1]);
  }
  events.push({ type: 'settingsChanged', commandIndex, account: account.address });
}
