import type { PerpMetaDetail } from '@oddlot/sdk';
import { divCeil, divFloor, formatDecimal, parseExact } from '@oddlot/units';

/** R-units: what a price and a size have together, and what money has. */
const MONEY_DECIMALS = 6;
const RATE_DECIMALS = 8;
const RATE_ONE = 10n ** BigInt(RATE_DECIMALS);
/** R-ratio: 0.5% of what is at risk. */
const LIQUIDATION_FEE_E8 = 500_000n;
/** R-liquidation: an order goes no further from the mark, 5%. */
const BAND_E8 = 5_000_000n;

/** A position at a mark, in integers of its instrument: lots, price units, micro-USDC. */
export type Position = {
  readonly size: bigint;
  readonly mark: bigint;
  readonly notional: bigint;
  readonly maintenance: bigint;
};

/** The numbers of the scope that a step was taken for. */
export type Scope = {
  readonly equity: bigint;
  readonly maintenance: bigint;
  readonly notional: bigint;
};

type Instrument = PerpMetaDetail['instruments'][number];

/** Micro-USDC of a decimal text. */
export function money(text: string): bigint {
  return exact(text, MONEY_DECIMALS);
}

export function moneyText(amount: bigint): string {
  return formatDecimal(amount, MONEY_DECIMALS);
}

/** Of a price in price units. */
export function priceOf({ perp }: Instrument, text: string): bigint {
  return exact(text, MONEY_DECIMALS - perp.szDecimals);
}

export function priceText({ perp }: Instrument, price: bigint): string {
  return formatDecimal(price, MONEY_DECIMALS - perp.szDecimals);
}

export function sizeOf({ perp }: Instrument, text: string): bigint {
  return exact(text, perp.szDecimals);
}

/** What a position needs by the tiers of its instrument (R-tiers), rounded up. */
export function positionAt(instrument: Instrument, szi: string, markPx: string): Position {
  const size = sizeOf(instrument, szi);
  const mark = priceOf(instrument, markPx);
  const lots = size < 0n ? -size : size;
  let deduction = 0n;
  let before = 0n;
  let needed = 0n;
  for (const tier of instrument.marginTable.tiers) {
    const mmr = exact(tier.mmr, RATE_DECIMALS);
    deduction += sizeOf(instrument, tier.minSize) * (mmr - before);
    before = mmr;
    needed = lots * mmr - deduction;
    // A size on a border belongs to the lower tier.
    if (lots <= sizeOf(instrument, tier.maxSize)) break;
  }
  return {
    size,
    mark,
    notional: lots * mark,
    maintenance: divCeil(needed * mark, RATE_ONE),
  };
}

/** What equity must be above: maintenance and the fee of liquidating everything. */
export function riskOf({ maintenance, notional }: Scope): bigint {
  return maintenance + feeOf(notional);
}

/** 0.5%, rounded up. */
export function feeOf(notional: bigint): bigint {
  return divCeil(notional * LIQUIDATION_FEE_E8, RATE_ONE);
}

/**
 * R-bankruptcy-price of a position in a scope that has something left: `mark ∓ (E × MMᵢ / MM) / size`, rounded to the unit that
 * leaves the account at or above zero, and at least 1.
 */
export function bankruptcyPrice(scope: Scope, { maintenance, mark, size }: Position): bigint {
  const lots = size < 0n ? -size : size;
  const scale = scope.maintenance * lots;
  const share = scope.equity * maintenance;
  const price =
    size > 0n ? divCeil(mark * scale - share, scale) : divFloor(mark * scale + share, scale);
  return price < 1n ? 1n : price;
}

/** The worst price that the book was offered at: the bankruptcy price, and no further than 5% from the mark. */
export function marketLimit({ mark, size }: Position, bankrupt: bigint): bigint {
  const floor = divCeil(mark * (RATE_ONE - BAND_E8), RATE_ONE);
  const ceiling = divFloor(mark * (RATE_ONE + BAND_E8), RATE_ONE);
  if (size > 0n) return bankrupt > floor ? bankrupt : floor;
  return bankrupt < ceiling ? bankrupt : ceiling;
}

function exact(text: string, decimals: number): bigint {
  const value = parseExact(text, decimals);
  if (value === undefined) throw new Error(`"${text}" has more than ${decimals} decimals`);
  return value;
}
