import type { OutcomeLeg, TradeSide } from '@oddlot/engine';
import type { Address, Hash, MicroUsdc } from '@oddlot/units';
import type { AppliedBlock } from '../../block/applied-block.ts';
import { causeHash } from '../../translate/event-to-stream.ts';

/** One side of a trade on either exchange; prices of an outcome market are the leg's own. */
export type TradedSide = {
  readonly account: Address;
  readonly instrumentId: number;
  readonly orderId: number;
  readonly clientOrderId: string | undefined;
  readonly tradeId: number;
  /** What caused the trade: the taker's action. */
  readonly hash: Hash;
  readonly role: 'Taker' | 'Maker';
  /** The wire's `b`. */
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

/** What a trade closed: lots, what they had cost (signed), and what that realised before fees. */
type Closed = {
  readonly size: number;
  readonly cost: MicroUsdc;
  readonly realised: MicroUsdc;
};

/** Both sides of every trade of a block, the taker's before the maker's. */
export function* tradedSides(block: AppliedBlock): Iterable<TradedSide> {
  for (const event of block.result.events) yield* sidesOf(block, event);
}

type EngineEvent = AppliedBlock['result']['events'][number];

/** Both sides of a trade; none when an event is something else. */
export function sidesOf(block: AppliedBlock, event: EngineEvent): readonly TradedSide[] {
  if (event.type === 'tradeExecuted') return perpSides(block, event);
  return event.type === 'outcomeTraded' ? outcomeSides(event) : [];
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

/** Undefined when it only opened. */
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

/** R-one-book: buying YES and selling NO are bids. */
export function isBid(leg: OutcomeLeg, isSell: boolean): boolean {
  return (leg === 'yes') !== isSell;
}
