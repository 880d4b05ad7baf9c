import { formatDecimal, RATE_ONE } from '@oddlot/units';
import { LIMITS } from '../messages/limits.ts';
import type { PerpDefinition } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { markBandMaxE8, tierTableFault } from '../state/perp.ts';

const SIZE_DECIMALS_MIN = -4;
const SIZE_DECIMALS_MAX = 6;
const NAME_LENGTH_MAX = 64;
const RATE = 'must be 0 or more and below 1, at most 8 decimals';

/**
 * Returns the first fault of a perpetual's definition, or undefined. The checks follow the order of
 * the fields. The margin table is checked after the fields because it depends on the fees
 * (R-tiers), and the mark band last because it depends on both (R-mark).
 */
export function definitionFault(
  definition: PerpDefinition,
  liquidationFeeE8: number,
): Reject | undefined {
  const { instrumentId, name, szDecimals } = definition;
  const last = LIMITS.perpIdEnd - 1;
  if (!isCount(instrumentId, 0, last)) return fault('instrumentId', `must be 0 to ${last}`);
  if (!isCount(name.length, 1, NAME_LENGTH_MAX))
    return fault('name', `must be 1 to ${NAME_LENGTH_MAX} characters`);
  if (!isCount(szDecimals, SIZE_DECIMALS_MIN, SIZE_DECIMALS_MAX)) {
    return fault('szDecimals', `must be ${SIZE_DECIMALS_MIN} to ${SIZE_DECIMALS_MAX}`);
  }
  return (
    ticksFault(definition) ??
    amountsFault(definition) ??
    ratesFault(definition) ??
    marginTableFault(definition, liquidationFeeE8) ??
    markBandFault(definition, liquidationFeeE8)
  );
}

function ticksFault({ bookTicks, priceTick, szDecimals }: PerpDefinition): Reject | undefined {
  const price = (units: number): string => formatDecimal(units, 6 - szDecimals);
  const range = `${price(1)} to ${price(LIMITS.priceMax)}, in steps of ${price(1)}`;
  if (!isCount(priceTick, 1, LIMITS.priceMax)) return fault('priceTick', `must be ${range}`);
  if (!isCount(bookTicks.length, 1, LIMITS.bookTicksMax)) {
    return fault('bookTicks', `must be 1 to ${LIMITS.bookTicksMax} steps`);
  }
  let previous = 0;
  for (const tick of bookTicks) {
    if (!isCount(tick, previous + 1, LIMITS.priceMax)) {
      return fault('bookTicks', `must rise within ${range}`);
    }
    previous = tick;
  }
  return undefined;
}

function amountsFault(definition: PerpDefinition): Reject | undefined {
  const fields = ['maxLimitOrderSize', 'maxMarketOrderSize', 'impactNotionalMicroUsdc'] as const;
  for (const field of fields) {
    if (!isCount(definition[field], 1, Number.MAX_SAFE_INTEGER)) {
      return fault(field, 'must be above 0, on the grid and no more than the venue can count');
    }
  }
  return undefined;
}

function ratesFault(definition: PerpDefinition): Reject | undefined {
  const { makerFeeE8, markBandE8, premiumCapE8, takerFeeE8 } = definition;
  if (!isCount(takerFeeE8, 0, RATE_ONE - 1)) return fault('takerFeeE8', RATE);
  if (!isCount(makerFeeE8, 0, RATE_ONE - 1)) return fault('makerFeeE8', RATE);
  if (premiumCapE8 !== undefined && !isCount(premiumCapE8, 0, RATE_ONE - 1)) {
    return fault('premiumCapE8', RATE);
  }
  // The upper bound depends on the margin table and is checked after it.
  if (markBandE8 !== undefined && !isCount(markBandE8, 1, Number.MAX_SAFE_INTEGER)) {
    return fault('markBandE8', 'must be above 0, at most 8 decimals');
  }
  return undefined;
}

function marginTableFault(
  { takerFeeE8, tiers }: PerpDefinition,
  liquidationFeeE8: number,
): Reject | undefined {
  const isWhole = tiers.every((tier) =>
    [tier.minSize, tier.maxSize, tier.maxLeverage, tier.mmrE8].every(
      (value) => Number.isSafeInteger(value) && value >= 0,
    ),
  );
  if (!isWhole) return { reason: 'marginTableInvalid', why: 'a number is out of range' };
  if (tiers.length > LIMITS.tiersMax) {
    return { reason: 'marginTableInvalid', why: `more than ${LIMITS.tiersMax} tiers` };
  }
  const why = tierTableFault(tiers, liquidationFeeE8, takerFeeE8);
  return why === undefined ? undefined : { reason: 'marginTableInvalid', why };
}

function markBandFault(definition: PerpDefinition, liquidationFeeE8: number): Reject | undefined {
  const maxE8 = markBandMaxE8(definition, liquidationFeeE8);
  const { markBandE8 } = definition;
  return markBandE8 === undefined || markBandE8 <= maxE8
    ? undefined
    : { reason: 'markBandInvalid', gotE8: markBandE8, maxE8 };
}

function fault(field: string, why: string): Reject {
  return { reason: 'definitionInvalid', field, why };
}

function isCount(value: number, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}
