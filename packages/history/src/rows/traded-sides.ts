import { splitEvents } from '@oddlot/translate/read-models/block-events';
import type { OutcomeLeg, PerpDefinition, State, TradeSide } from '@oddlot/engine';
import { type Address, type Hash, type MicroUsdc, present } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import { causeHash } from '@oddlot/translate/event-to-stream';
import type { Leg } from '@oddlot/protocol';
import { instrumentLookup } from '@oddlot/translate/instruments';
import { formatRatio, type Scale } from '@oddlot/translate/format';
import { findPerp } from '@oddlot/translate/info/info-context';
import type { AccountType } from './block-rows.ts';

/**
 * One side of a trade. On an outcome market, prices are those of the outcome that the order traded.
 */
export type TradedSide = {
  readonly account: Address;
  readonly instrumentId: number;
  readonly orderId: number;
  readonly clientOrderId: string | undefined;
  readonly tradeId: number;
  /** The transaction hash of the taker's action. */
  readonly hash: Hash;
  readonly role: 'Taker' | 'Maker';
  /** The field `b` on the wire. */
  readonly isBuy: boolean;
  readonly reduceOnly: boolean;
  readonly price: number;
  readonly size: number;
  readonly startPosition: number;
  readonly fee: MicroUsdc;
  readonly builderFee: TradeSide['builderFee'];
  readonly marginMode: TradeSide['marginMode'];
  readonly leverage: number;
  readonly closed: Closed | undefined;
  readonly leg: OutcomeLeg | undefined;
};

/** The closed portion of a position: lots, signed cost, and profit before fees. */
type Closed = {
  readonly size: number;
  readonly cost: MicroUsdc;
  readonly realised: MicroUsdc;
};

/** The sides of the newest block, because several kinds of rows need them. */
let newest: { readonly block: AppliedBlock; readonly sides: Sides } | undefined;

type Sides = readonly (readonly TradedSide[])[];

/** Returns the sides of each event of a block that does not update an order. */
export function tradedSides(block: AppliedBlock): Sides {
  if (newest?.block === block) return newest.sides;
  const sides = splitEvents(block).others.map((event) => sidesOf(block, event));
  newest = { block, sides };
  return sides;
}

type EngineEvent = AppliedBlock['result']['events'][number];

/** Shared by all events that are not trades. */
const NO_SIDES: readonly TradedSide[] = [];

function sidesOf(block: AppliedBlock, event: EngineEvent): readonly TradedSide[] {
  if (event.type === 'tradeExecuted') return perpSides(block, event);
  return event.type === 'outcomeTraded' ? outcomeSides(event) : NO_SIDES;
}

function perpSides(
  block: AppliedBlock,
  event: Extract<EngineEvent, { type: 'tradeExecuted' }>,
): readonly TradedSide[] {
  const { instrumentId, maker, price, size, taker, takerIsBuy, tradeId } = event;
  const trade = { instrumentId, price, size, tradeId, hash: causeHash(block, event.commandIndex) };
  const side = (of: TradeSide, role: TradedSide['role'], isBuy: boolean): TradedSide => ({
    ...trade,
    role,
    isBuy,
    account: of.account,
    orderId: of.orderId,
    clientOrderId: of.clientOrderId,
    reduceOnly: of.reduceOnly,
    startPosition: of.startPosition,
    fee: of.fee,
    builderFee: of.builderFee,
    marginMode: of.marginMode,
    leverage: of.leverage,
    closed: closedBy(of),
    leg: undefined,
  });
  return [side(taker, 'Taker', takerIsBuy), side(maker, 'Maker', !takerIsBuy)];
}

export function closedBy({
  closedCost,
  closedSize,
  realised,
}: Pick<TradeSide, 'closedCost' | 'closedSize' | 'realised'>): Closed | undefined {
  if (closedSize === undefined || closedCost === undefined) return undefined;
  return { size: closedSize, cost: closedCost, realised };
}

function outcomeSides(
  event: Extract<EngineEvent, { type: 'outcomeTraded' }>,
): readonly TradedSide[] {
  const { instrumentId, maker, size, taker, tradeId, txHash } = event;
  const side = (of: typeof taker, role: TradedSide['role']): TradedSide => ({
    instrumentId,
    size,
    tradeId,
    hash: txHash,
    role,
    account: of.account,
    orderId: of.orderId,
    clientOrderId: of.clientOrderId,
    isBuy: isBid(of.leg, of.isSell),
    reduceOnly: of.isSell,
    price: of.price,
    startPosition: of.startSize,
    fee: of.fee,
    builderFee: of.builderFee,
    marginMode: 'cross',
    leverage: 1,
    closed:
      of.closedCost === undefined
        ? undefined
        : { size, cost: of.closedCost, realised: of.realised },
    leg: of.leg,
  });
  return [side(taker, 'Taker'), side(maker, 'Maker')];
}

/** Buying YES and selling NO are bids (R-one-book). */
export function isBid(leg: OutcomeLeg, isSell: boolean): boolean {
  return (leg === 'yes') !== isSell;
}

export type NamedInstrument = {
  readonly instrumentId: number;
  readonly coin: string;
  readonly symbol: string;
  readonly scale: Scale;
  readonly accountType: AccountType;
  readonly wireType: 'perps' | 'outcome';
};

/** Returns the instrument of a row, even if its market was settled in the same block. */
export function namedInstrument(state: State, instrumentId: number): NamedInstrument {
  const perp = findPerp(state, instrumentId);
  if (perp !== undefined) return namedPerp(perp);
  const market = present(instrumentLookup(() => state)(instrumentId), 'the market of a row');
  const names = { coin: market.name, symbol: market.name };
  return { instrumentId, ...names, scale: market, accountType: 'outcome', wireType: 'outcome' };
}

/** A cache by definition, because every row needs its perp. A changed perp has a new definition. */
const namedPerps = new WeakMap<PerpDefinition, NamedInstrument>();

function namedPerp(perp: PerpDefinition): NamedInstrument {
  let named = namedPerps.get(perp);
  if (named === undefined) {
    const { baseCurrency: coin, instrumentId, name: symbol } = perp;
    named = { instrumentId, coin, symbol, scale: perp, accountType: 'perp', wireType: 'perps' };
    namedPerps.set(perp, named);
  }
  return named;
}

/** Returns false for an unknown instrument. Orders for unknown instruments are rejected. */
export function isNamed(state: State, instrumentId: number): boolean {
  return instrumentLookup(() => state)(instrumentId) !== undefined;
}

export const LEG_TEXT: Readonly<Record<OutcomeLeg, Leg>> = { yes: 'Yes', no: 'No' };

/**
 * Returns the profit of a close as a percentage of its margin, rounded half up to six decimals
 * (R-rounding).
 */
export function roePercent(
  { cost, realised }: { readonly cost: bigint; readonly realised: bigint },
  leverage: number,
): string {
  const paid = cost < 0n ? -cost : cost;
  return paid === 0n ? '0' : formatRatio(realised * BigInt(leverage) * 100n, paid);
}
