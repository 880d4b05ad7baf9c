import { present } from '@oddlot/units';
import { testImpactOrders } from '../perp-orders/fillable.ts';
import { sampleClosing } from '../perp/closing.ts';
import { isSampled, nextMultiple } from '../perp/funding-forecast.ts';
import { fundingRateE10, hourPremiumE10, impactPrice, premiumE10 } from '../perp/funding.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { HOUR_MS, SAMPLE_MS } from '../state/funding-hour.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';

/**
 * When premiums are sampled and funding falls due. Instants are multiples of 5 s of consensus time,
 * hours multiples of an hour; the sample at the hour itself opens the new hour, so an hour has 720.
 * A block that passes several instants takes one sample, for the latest of them: nobody knows how
 * the books would have stood at the others, which count 0 (R-funding-gaps).
 */

/**
 * Looks at the instants between the last block and this one, before the operator's commands change
 * anything: the oracle then in force and a halt are those that the last block left. Of several
 * hours passed only the first can have samples; those without any pay nothing.
 */
export function passInstants(state: State, previousMs: number): void {
  const dueMs = nextMultiple(previousMs, HOUR_MS);
  // The first block of a restored venue, which is awake, does not know yet which of them close.
  const perps = state.watch.isAwake ? listedPerps(state) : state.watch.closing;
  sampleOracles(state, perps, state.timeMs);
  if (dueMs >= state.timeMs) return;
  for (const perp of listedPerps(state)) closeHour(state, perp, dueMs);
}

/**
 * Step (3), after the marks: an hour that ends with this very block closes with what its operator's
 * commands left in force; then the sample of the latest instant passed is taken, from the books as
 * the last block left them, without the orders that could not fill (R-fillable).
 */
export function sampleBooks(execution: Execution, previousMs: number): void {
  const { state } = execution;
  const { timeMs } = state;
  const latestMs = timeMs - (timeMs % SAMPLE_MS);
  sampleOracles(state, state.watch.closing, timeMs + 1);
  if (latestMs <= previousMs) return;
  for (const perp of listedPerps(state)) {
    if (timeMs % HOUR_MS === 0) closeHour(state, perp, timeMs);
    if (!isSampled(state, perp)) continue;
    testImpactOrders(execution, perp);
    if (!isSampled(state, perp)) continue;
    const premium = bookPremium(perp);
    perp.funding.sum += premium;
    perp.funding.samples += 1;
    state.digest.amount(premium);
  }
}

/** Only the side on which the mark is contributes. */
function bookPremium(perp: Perp): bigint {
  const { book, definition, mark, oracle } = perp;
  if (mark === oracle) return 0n;
  const isBuy = mark > oracle;
  const impact = impactPrice(book, isBuy, definition.impactNotionalMicroUsdc);
  return isBuy ? premiumE10(perp, impact, undefined) : premiumE10(perp, undefined, impact);
}

function closeHour(state: State, perp: Perp, dueMs: number): void {
  const { funding } = perp;
  const parameters = parametersOf(state);
  const isStill = perp.halted || isOracleStale(perp, dueMs, parameters.oracleStaleMs);
  if (funding.samples > 0 && !isStill) {
    const premium = hourPremiumE10(funding.sum);
    const rateE10 = fundingRateE10(premium, parameters);
    funding.due = { dueMs, oracle: perp.oracle, rateE10, premiumE10: Number(premium) };
  }
  funding.sum = 0n;
  funding.samples = 0;
}

/** R-delist: the instants of a closing hour are counted from its own start. */
function sampleOracles(state: State, perps: readonly Perp[], beforeMs: number): void {
  for (const perp of perps) {
    if (perp.closing === undefined) continue;
    const taken = sampleClosing(perp, beforeMs, parametersOf(state).oracleStaleMs);
    if (taken > 0) state.digest.number(perp.closing.sum);
  }
}

function listedPerps(state: State): Perp[] {
  return state.perpIds
    .map((id) => present(state.perps.get(id), 'a listed perp'))
    .filter((perp) => !perp.delisted);
}
