import type { Fill, LedgerUpdate, PerpMetaDetail } from '@oddlot/sdk';
import { divCeil, divFloor, formatDecimal, parseExact } from '@oddlot/units';
import type { Findings } from './run-check.ts';

/** The number of decimals in an amount, and in a price and a size together (R-units). */
const MONEY_DECIMALS = 6;
const RATE_DECIMALS = 8;
const RATE_ONE = 10n ** BigInt(RATE_DECIMALS);
/** The liquidation fee is 0.5% of the notional at risk (R-ratio). */
const LIQUIDATION_FEE_E8 = 500_000n;
/** A liquidation order's price is at most 5% away from the mark (R-liquidation). */
const BAND_E8 = 5_000_000n;

/** A position at a mark, in its instrument's integer units: lots, price units and micro-USDC. */
type Position = {
  readonly size: bigint;
  readonly mark: bigint;
  readonly notional: bigint;
  readonly maintenance: bigint;
};

/** The margin account's figures from which a step was computed. */
type Scope = {
  readonly equity: bigint;
  readonly maintenance: bigint;
  readonly notional: bigint;
};

type Instrument = PerpMetaDetail['instruments'][number];

/** Parses decimal text to micro-USDC. */
export function money(text: string): bigint {
  return exact(text, MONEY_DECIMALS);
}

export function moneyText(amount: bigint): string {
  return formatDecimal(amount, MONEY_DECIMALS);
}

function priceOf({ perp }: Instrument, text: string): bigint {
  return exact(text, MONEY_DECIMALS - perp.szDecimals);
}

export function priceText({ perp }: Instrument, price: bigint): string {
  return formatDecimal(price, MONEY_DECIMALS - perp.szDecimals);
}

function sizeOf({ perp }: Instrument, text: string): bigint {
  return exact(text, perp.szDecimals);
}

/**
 * Returns a position with its maintenance margin, computed from its instrument's tiers (R-tiers)
 * and rounded up.
 */
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
    // A size on a boundary belongs to the lower tier.
    if (lots <= sizeOf(instrument, tier.maxSize)) break;
  }
  return {
    size,
    mark,
    notional: lots * mark,
    maintenance: divCeil(needed * mark, RATE_ONE),
  };
}

/**
 * Returns the minimum equity, which is the maintenance margin plus the fee of liquidating all
 * positions.
 */
export function riskOf({ maintenance, notional }: Scope): bigint {
  return maintenance + feeOf(notional);
}

/** Returns the liquidation fee, rounded up. */
function feeOf(notional: bigint): bigint {
  return divCeil(notional * LIQUIDATION_FEE_E8, RATE_ONE);
}

/**
 * Returns the bankruptcy price (R-bankruptcy-price) of a position in a margin account with positive
 * equity: `mark ∓ (E × MMᵢ / MM) / size`, rounded to the unit that leaves the account at or above
 * zero, and at least 1.
 */
export function bankruptcyPrice(scope: Scope, { maintenance, mark, size }: Position): bigint {
  const lots = size < 0n ? -size : size;
  const scale = scope.maintenance * lots;
  const share = scope.equity * maintenance;
  const price =
    size > 0n ? divCeil(mark * scale - share, scale) : divFloor(mark * scale + share, scale);
  return price < 1n ? 1n : price;
}

/** Returns the order's worst price: the bankruptcy price, but at most 5% from the mark. */
function marketLimit({ mark, size }: Position, bankrupt: bigint): bigint {
  const lowest = divCeil(mark * (RATE_ONE - BAND_E8), RATE_ONE);
  const ceiling = divFloor(mark * (RATE_ONE + BAND_E8), RATE_ONE);
  if (size > 0n) return bankrupt > lowest ? bankrupt : lowest;
  return bankrupt < ceiling ? bankrupt : ceiling;
}

function exact(text: string, decimals: number): bigint {
  const value = parseExact(text, decimals);
  if (value === undefined) throw new Error(`"${text}" has more than ${decimals} decimals`);
  return value;
}

/** A liquidation step, as reported and as recomputed. */
export type Step = {
  readonly row: Extract<LedgerUpdate['delta'], { type: 'liquidation' }>;
  readonly scope: Scope;
  /** The instrument; undefined if it is no longer listed. */
  readonly instrument: Instrument | undefined;
  readonly position?: Position;
  /** The bankruptcy price; undefined if it cannot be computed from public data. */
  readonly bankrupt?: bigint | undefined;
  readonly price?: string;
};

/** Compares the account's execution prices and fees with the limits of its steps. */
export function checkFills(
  findings: Findings,
  steps: readonly Step[],
  { fills, noticed }: { readonly fills: readonly Fill[]; readonly noticed: readonly Notice[] },
): void {
  for (const instrument of instrumentsOf(steps)) {
    const { instrumentId } = instrument.perp;
    const own = steps.filter(({ instrument: of }) => of?.perp.instrumentId === instrumentId);
    const traded = fills.filter((fill) => fill.instrumentId === instrumentId);
    // If there was no order, the venue moved the position itself: to the insurance fund, to other
    // accounts, or to the other position side.
    const [moved, sent] = [traded.filter(({ oid }) => oid === 0), ordersOf(traded)];
    for (const order of sent) checkOrder(findings, instrument, own, order);
    const prices = noticed.filter((each) => each.instrumentId === instrumentId);
    for (const fill of moved) checkMoved(findings, { instrument, own, prices }, fill);
  }
}

type Notice = Extract<LedgerUpdate['delta'], { type: 'adl' }>;

function instrumentsOf(steps: readonly Step[]): readonly Instrument[] {
  const all = steps.flatMap(({ instrument }) => (instrument === undefined ? [] : [instrument]));
  return [...new Map(all.map((each) => [each.perp.instrumentId, each])).values()];
}

/** Groups fills by order. The venue's orders execute as taker orders. */
function ordersOf(fills: readonly Fill[]): readonly (readonly Fill[])[] {
  const orders = new Map<number, Fill[]>();
  for (const fill of fills) {
    if (fill.oid === 0 || fill.tradeSide !== 'Taker') continue;
    orders.set(fill.oid, [...(orders.get(fill.oid) ?? []), fill]);
  }
  return [...orders.values()];
}

/**
 * Checks that the price is not worse than a step's limit, and that the fee does not exceed the
 * liquidation fee.
 */
function checkOrder(
  findings: Findings,
  instrument: Instrument,
  steps: readonly Step[],
  fills: readonly Fill[],
): void {
  const isSell = fills[0]?.side === 'A';
  const limits = steps.flatMap(({ bankrupt, position, row }) => {
    if (row.step !== 'market' || position === undefined || bankrupt === undefined) return [];
    return position.size > 0n === isSell ? [marketLimit(position, bankrupt)] : [];
  });
  const what = `order ${fills[0]?.oid} ${isSell ? 'sold' : 'bought'}`;
  if (limits.length === 0) {
    findings.believe(what, 'no liquidation step provides a price limit for comparison');
    return;
  }
  // Several attempts in one block share the widest limit, because rows do not record their
  // sequence.
  const limit = limits.reduce((a, b) => (isSell === a < b ? a : b));
  const prices = fills.map(({ px }) => priceOf(instrument, px));
  const worst = prices.reduce((a, b) => (isSell === a < b ? a : b));
  const isWithin = isSell ? worst >= limit : worst <= limit;
  const limitText = priceText(instrument, limit);
  const worstText = priceText(instrument, worst);
  const side = isSell ? 'below' : 'above';
  findings.holds(
    `${what} at ${worstText}, within the price limit of`,
    isWithin,
    limitText,
    worstText,
    `${what} at ${worstText}, ${side} the price limit of ${limitText}`,
  );
  const value = fills.reduce(
    (sum, { px, sz }) => sum + priceOf(instrument, px) * sizeOf(instrument, sz),
    0n,
  );
  const fee = fills.reduce((sum, fill) => sum + money(fill.fee), 0n);
  // The fee is lower if the account cannot pay it in full.
  const most = feeOf(value);
  const [mostText, feeText] = [moneyText(most), moneyText(fee)];
  const paid = `fee ${feeText} of order ${fills[0]?.oid} is`;
  const disagreement = `${paid} above the maximum of ${mostText}`;
  findings.holds(`${paid} within the maximum of`, fee <= most, mostText, feeText, disagreement);
}

/**
 * Checks that the price is a step's bankruptcy price or, for a hedged pair or an account without a
 * valid mark, the mark.
 */
function checkMoved(
  findings: Findings,
  allowed: {
    readonly instrument: Instrument;
    readonly own: readonly Step[];
    readonly prices: readonly Notice[];
  },
  { px, sz }: Fill,
): void {
  const { instrument, own, prices } = allowed;
  const what = `${sz} ${instrument.perp.name} taken over at`;
  if (own.some(({ scope }) => scope.equity < 0n)) {
    findings.believe(what, `${px}: the bankruptcy price depends on the previous block's marks`);
    return;
  }
  const known = [
    ...own.map(({ price }) => price),
    ...own.map(({ row }) => row.markPx),
    ...prices.map((notice) => notice.px),
  ];
  const expected = [...new Set(known)].join(' or ');
  findings.holds(what, known.includes(px), px, expected, `${what} ${px}, expected ${expected}`);
}
