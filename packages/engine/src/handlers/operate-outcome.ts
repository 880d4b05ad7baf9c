import {
  addUsdc,
  divExact,
  type MicroUsdc,
  microUsdc,
  negUsdc,
  notional,
  subUsdc,
  timeMs,
  ZERO_USDC,
} from '@oddlot/units';
import { postCollateral, postToOutcome } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import type { OperateEntry, OperateOutcomeCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { outcomeHoldingOf } from '../outcome/outcome-order.ts';
import { unknownMarket } from '../outcome/validate-outcome-order.ts';
import { releasedPart } from '../perp/position.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { LegHolding, OutcomeMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';

/** R-split-merge: turns collateral into pairs, or pairs into collateral. All entries or none. */
export function operateOutcome(
  execution: Execution,
  account: Account,
  command: OperateOutcomeCommand,
): CommandResult {
  const { state } = execution;
  const refused = checkOperateOutcome(state, account, command);
  if (refused.reject !== undefined) return refused;
  for (const entry of command.entries) {
    const market = state.outcomes.markets.get(entry.instrumentId);
    if (market !== undefined) operate(execution, account, market, command.kind, entry);
  }
  return { account: account.address };
}

/** Judges every entry with the ones before it taken into account. */
export function checkOperateOutcome(
  state: State,
  account: Account,
  { entries, kind }: OperateOutcomeCommand,
): CommandResult {
  const { address } = account;
  let spent = 0n;
  const used = new Map<number, number>();
  for (const [rejectIndex, entry] of entries.entries()) {
    const { instrumentId, size } = entry;
    const market = state.outcomes.markets.get(instrumentId);
    const reject =
      market === undefined
        ? notAMarket(state, entry)
        : (checkOperatePhase(market, kind, entry) ??
          checkOperateSize(entry) ??
          (kind === 'split'
            ? checkSplit(account, market, size, spent)
            : checkMerge(account, entry, used.get(instrumentId) ?? 0)));
    if (reject !== undefined) return { account: address, reject, rejectIndex };
    if (market === undefined) continue;
    spent += notional(market.unit, size);
    used.set(instrumentId, (used.get(instrumentId) ?? 0) + size);
  }
  return { account: address };
}

function notAMarket(state: State, { instrumentId }: OperateEntry): Reject {
  if (instrumentId < LIMITS.perpIdEnd) return { reason: 'outcomeUnknown', instrumentId };
  return unknownMarket(state, instrumentId);
}

/** Split while open, merge until resolved. */
function checkOperatePhase(
  { phase }: OutcomeMarket,
  kind: 'split' | 'merge',
  { instrumentId }: OperateEntry,
): Reject | undefined {
  if (phase === 'resolved') return { reason: 'marketResolved', instrumentId };
  if (kind === 'merge' || phase === 'open') return undefined;
  if (phase === 'halted') return { reason: 'tradingHalted', instrumentId };
  return { reason: 'marketClosed', instrumentId };
}

function checkOperateSize({ instrumentId, size, sizeInexact }: OperateEntry): Reject | undefined {
  if (size < 0 || (size === 0 && sizeInexact !== true)) {
    return { reason: 'sizeBelowMin', instrumentId, min: 1 };
  }
  if (sizeInexact === true) return { reason: 'sizeOffLot', instrumentId };
  const max = LIMITS.sizeMax;
  return size > max ? { reason: 'sizeAboveMax', instrumentId, max } : undefined;
}

function checkSplit(
  account: Account,
  market: OutcomeMarket,
  size: number,
  spent: bigint,
): Reject | undefined {
  const required = notional(market.unit, size);
  const free = account.outcomeBalance - spent;
  const available = free < 0n ? ZERO_USDC : microUsdc(free);
  return required <= available ? undefined : { reason: 'balanceInsufficient', required, available };
}

function checkMerge(
  account: Account,
  { instrumentId, size: required }: OperateEntry,
  used: number,
): Reject | undefined {
  const holding = account.outcomes.get(instrumentId);
  const free = (leg: LegHolding | undefined): number =>
    leg === undefined ? 0 : leg.size - leg.reserved - used;
  const available = Math.max(0, Math.min(free(holding?.yes), free(holding?.no)));
  if (required <= available) return undefined;
  return { reason: 'pairsInsufficient', instrumentId, required, available };
}

function operate(
  execution: Execution,
  account: Account,
  market: OutcomeMarket,
  kind: 'split' | 'merge',
  { instrumentId, size }: OperateEntry,
): void {
  const { state } = execution;
  const holding = outcomeHoldingOf(state, account, market);
  const amount = notional(market.unit, size);
  const isSplit = kind === 'split';
  const signed = isSplit ? amount : negUsdc(amount);
  market.pairs += isSplit ? size : -size;
  postCollateral(state, market, signed);
  postToOutcome(state, account, negUsdc(signed));
  // A lot of a pair is an even number of price units, so each leg's half is exact.
  const half = microUsdc(divExact(amount, 2n));
  const legs = [holding.yes, holding.no] as const;
  const startSizes = [holding.yes.size, holding.no.size] as const;
  const [yes, no] = legs.map((leg) =>
    isSplit ? bookHalf(state, leg, size, half) : takeHalf(state, leg, size, half),
  );
  for (const leg of legs) leg.updatedMs = timeMs(state.timeMs);
  execution.events.push({
    type: 'sharesOperated',
    commandIndex: execution.commandIndex,
    account: account.address,
    instrumentId,
    kind,
    size,
    amount,
    startSizes,
    realised: [yes ?? ZERO_USDC, no ?? ZERO_USDC],
  });
}

/** A split books each leg at 0.50. */
function bookHalf(state: State, leg: LegHolding, size: number, half: MicroUsdc): MicroUsdc {
  if (leg.size === 0) {
    leg.feesPaid = ZERO_USDC;
    leg.realised = ZERO_USDC;
  }
  leg.size += size;
  leg.cost = addUsdc(leg.cost, half);
  state.digest.number(leg.size);
  state.digest.amount(leg.cost);
  return ZERO_USDC;
}

/** A merge closes each leg at 0.50. */
function takeHalf(state: State, leg: LegHolding, size: number, half: MicroUsdc): MicroUsdc {
  const released = releasedPart(leg.cost, size, leg.size);
  const realised = subUsdc(half, released);
  leg.size -= size;
  leg.cost = subUsdc(leg.cost, released);
  leg.realised = addUsdc(leg.realised, realised);
  state.digest.number(leg.size);
  state.digest.amount(leg.cost);
  return realised;
}
