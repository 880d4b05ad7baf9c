import { maxUsdc, microUsdc, negUsdc, subUsdc, ZERO_USDC } from '@oddlot/units';
import { postToBalance } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import type { UpdateLeverageCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { workingOrders } from '../perp-orders/working-orders.ts';
import { crossScope, judgedValue } from '../perp/blind.ts';
import { freeInCross } from '../perp/doors.ts';
import { exposureOf, initialMargin, isolatedEquity } from '../perp/margin.ts';
import {
  type Account,
  type Holding,
  holdingKey,
  type InstrumentSettings,
  type Leg,
  settingsChanged,
  settingsOf,
} from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { tierOf } from '../state/tiers.ts';
import { emitSettings } from './emit-settings.ts';

/** Which leverage a command sets: of one mode, and in hedge isolated of one side (R-leverage). */
type Target = { readonly perp: Perp; readonly isIsolated: boolean; readonly leg: Leg };

/** Sets the leverage of an instrument in one margin mode; it switches no mode. */
export function updateLeverage(
  execution: Execution,
  account: Account,
  command: UpdateLeverageCommand,
): CommandResult {
  const { state } = execution;
  const reject = checkUpdateLeverage(state, account, command);
  const target = targetOf(state, account, command);
  if (reject !== undefined || target === undefined) {
    return { account: account.address, ...(reject === undefined ? {} : { reject }) };
  }
  const { perp, isIsolated, leg } = target;
  const leverage = Math.abs(command.leverage);
  const settings = settingsOf(account, perp, parametersOf(state).defaultLeverage);
  const holding = activeHolding(account, target);
  if (isIsolated && holding !== undefined) drawMissing(state, account, holding, leverage);
  setLeverage(settings, account, { isIsolated, leg }, leverage);
  settingsChanged(account, perp, settings);
  emitSettings(execution, account);
  return { account: account.address };
}

/** Judges a change of leverage; changes nothing. */
export function checkUpdateLeverage(
  state: State,
  account: Account,
  command: UpdateLeverageCommand,
): Reject | undefined {
  const { instrumentId, leverage } = command;
  const target = targetOf(state, account, command);
  if (target === undefined) return { reason: 'instrumentUnknown', instrumentId };
  const isSigned = account.positionMode === 'hedge' && target.isIsolated;
  if (leverage === 0 || (leverage < 0 && !isSigned)) return { reason: 'leverageInvalid', leverage };
  const isCurrent = isCurrentMode(account, target);
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
}

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
  const available = judgedValue(state, crossScope(account));
  let required: bigint = account.margin.initial;
  for (const holding of holdings) {
    required += initialMargin(target.perp, exposureOf(holding), leverage) - holding.initial;
  }
  const isRaised = required > account.margin.initial;
  return !isRaised || required <= available
    ? undefined
    : { reason: 'marginInsufficient', required: microUsdc(required), available };
}

/** A lower leverage asks for more margin than the position has; a higher one frees nothing. */
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

function isCurrentMode(account: Account, { perp, isIsolated }: Target): boolean {
  const id = perp.definition.instrumentId;
  const current = account.settings.get(id)?.isIsolated ?? perp.definition.onlyIsolated;
  return current === isIsolated;
}

/** The positions whose margin the leverage decides. */
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
