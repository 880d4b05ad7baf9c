import { type MicroUsdc, present, ZERO_USDC } from '@oddlot/units';
import { parametersOf } from '../state/execution.ts';
import { totalValue } from '../perp/margin.ts';
import { isOracleStale } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { closingMs } from '../state/sampled-hours.ts';
import { nextListingMs } from '../state/outcomes.ts';

/** The age of a perp's oracle price, and whether it prevents trading. */
type OracleAge = {
  readonly name: string;
  /** False for a halted or delisted perp, and during a closing hour (R-delist). */
  readonly isTrading: boolean;
  /**
   * True if the venue needs a current price, including during a closing hour, because it averages
   * prices.
   */
  readonly isAwaited: boolean;
  /** The age of the price in milliseconds; undefined before the first price. */
  readonly ageMs: number | undefined;
  /** True if the price is older than the limit (R-oracle-stale). */
  readonly isStale: boolean;
};

/** Returns the oracle ages of all perps at a given time, sorted by instrument id. */
export function oracleAges(state: State, nowMs: number): OracleAge[] {
  const { oracleStaleMs } = parametersOf(state);
  return state.perpIds.map((id) => {
    const perp = present(state.perps.get(id), 'a listed perp');
    const isAwaited = !perp.halted && !perp.delisted;
    return {
      name: perp.definition.name,
      isTrading: isAwaited && perp.closing === undefined,
      isAwaited,
      ageMs: perp.oracle === 0 ? undefined : Math.max(0, nowMs - perp.oracleMs),
      isStale: isOracleStale(perp, nowMs, oracleStaleMs),
    };
  });
}

type VenueMoney = {
  readonly treasury: MicroUsdc;
  /**
   * The account value of the insurance fund at the marks (R-insurance-fund). It is negative if the
   * fund owes money.
   */
  readonly insuranceFund: MicroUsdc;
  readonly insuranceTarget: MicroUsdc;
};

export function venueMoney(state: State): VenueMoney {
  const { treasury, insuranceTarget } = state;
  const index = state.accountIndex.get(parametersOf(state).insuranceFundAddress);
  const account = index === undefined ? undefined : state.accounts[index];
  const insuranceFund = account === undefined ? ZERO_USDC : totalValue(state, account);
  return { treasury, insuranceFund, insuranceTarget };
}

/**
 * Returns the next due time of an outcome market or a closing perp, or undefined if nothing is
 * scheduled. The log should contain an entry soon after that time. Unfinished work from a block is
 * due immediately.
 */
export function nextDueMs(state: State): number | undefined {
  const { outcomes, timeMs } = state;
  if (outcomes.settling.length > 0) return timeMs;
  const { phaseClock, queue, series, seriesClock } = outcomes;
  let next: number | undefined;
  const listings = [...series.values()].map(nextListingMs);
  const clocks = [queue.nextDueMs, phaseClock.nextDueMs, seriesClock.nextDueMs];
  for (const dueMs of [...clocks, ...listings, ...closingTimes(state)]) {
    if (dueMs !== undefined && (next === undefined || dueMs < next)) next = dueMs;
  }
  return next;
}

function closingTimes({ perps }: State): (number | undefined)[] {
  return [...perps.values()].map(({ closing, delisted }) =>
    closing === undefined || delisted ? undefined : closingMs(closing),
  );
}
