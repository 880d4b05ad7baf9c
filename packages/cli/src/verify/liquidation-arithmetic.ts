import type { Fill, LedgerUpdate, PerpMetaDetail } from '@oddlot/sdk';
import { divCeil, divFloor, formatDecimal, parseExact } from '@oddlot/units';
import type { Findings } from './run-check.ts';

/** R-units: what a price and a size have together, and what money has. */
const MONEY_DECIMALS = 6;
const RATE_DECIMALS = 8;
const RATE_ONE = 10n ** BigInt(RATE_DECIMALS);
/** R-ratio: 0.5% of what is at risk. */
const LIQUIDATION_FEE_E8 = 500_000n;
/** R-liquidation: an order goes no further from the mark, 5%. */
const BAND_E8 = 5_000_000n;

/** A position at a mark, in integers of its instrument: lots, price units, micro-USDC. */
type Position = {
  readonly size: bigint;
  readonly mark: bigint;
  readonly notional: bigint;
  readonly maintenance: bigint;
};

/** The numbers of the scope that a step was taken for. */
type Scope = {
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
function priceOf({ perp }: Instrument, text: string): bigint {
  return exact(text, MONEY_DECIMALS - perp.szDecimals);
}

export function priceText({ perp }: Instrument, price: bigint): string {
  return formatDecimal(price, MONEY_DECIMALS - perp.szDecimals);
}

function sizeOf({ perp }: Instrument, text: string): bigint {
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
function feeOf(notional: bigint): bigint {
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
function marketLimit({ mark, size }: Position, bankrupt: bigint): bigint {
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

/** A step of a liquidation, as it was told and as it was computed. */
export type Step = {
  readonly row: Extract<LedgerUpdate['delta'], { type: 'liquidation' }>;
  readonly scope: Scope;
  /** Undefined when the instrument is not listed any more. */
  readonly instrument: Instrument | undefined;
  readonly position?: Position;
  /** Undefined where it can't be computed from what everybody may ask. */
  readonly bankrupt?: bigint | undefined;
  readonly price?: string;
};

/** At which prices and for which fee the account traded, against what its steps allow. */
export function checkFills(
  findings: Findings,
  steps: readonly Step[],
  { fills, noticed }: { readonly fills: readonly Fill[]; readonly noticed: readonly Notice[] },
): void {
  for (const instrument of instrumentsOf(steps)) {
    const { instrumentId } = instrument.perp;
    const own = steps.filter(({ instrument: of }) => of?.perp.instrumentId === instrumentId);
    const traded = fills.filter((fill) => fill.instrumentId === instrumentId);
    // Without an order the venue moved the position itself: to the fund, to others, or to the other leg.
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

/** The fills of each order; an order of the venue's takes. */
function ordersOf(fills: readonly Fill[]): readonly (readonly Fill[])[] {
  const orders = new Map<number, Fill[]>();
  for (const fill of fills) {
    if (fill.oid === 0 || fill.tradeSide !== 'Taker') continue;
    orders.set(fill.oid, [...(orders.get(fill.oid) ?? []), fill]);
  }
  return [...orders.values()];
}

/** No worse than the limit of a step, and for no more than the fee of a liquidation. */
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
  const what = `${isSell ? 'sold' : 'bought'} by order ${fills[0]?.oid}`;
  if (limits.length === 0) {
    findings.believe(what, 'no liquidation step provides a price limit for comparison');
    return;
  }
  // Of several attempts in one block the widest: no row says which order it is of.
  const limit = limits.reduce((a, b) => (isSell === a < b ? a : b));
  const prices = fills.map(({ px }) => priceOf(instrument, px));
  const worst = prices.reduce((a, b) => (isSell === a < b ? a : b));
  const isWithin = isSell ? worst >= limit : worst <= limit;
  const side = isSell ? 'at or above' : 'at or below';
  findings.holds(
    `${what} ${side}`,
    isWithin,
    priceText(instrument, limit),
    priceText(instrument, worst),
  );
  const value = fills.reduce(
    (sum, { px, sz }) => sum + priceOf(instrument, px) * sizeOf(instrument, sz),
    0n,
  );
  const fee = fills.reduce((sum, fill) => sum + money(fill.fee), 0n);
  // Less where the account has no more than that left.
  const most = feeOf(value);
  findings.holds(`${what} for a fee of at most`, fee <= most, moneyText(most), moneyText(fee));
}

/** At the bankruptcy price of a step; at the mark for a hedged pair or an account that nobody can judge. */
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
  findings.holds(what, known.includes(px), px, [...new Set(known)].join(' or '));
}
