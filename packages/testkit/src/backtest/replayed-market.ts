import type { Authority, Command, OrderRequest, State } from '@oddlot/engine';
import type { Address, InstrumentId } from '@oddlot/units';

/** What one of the crowd asks of the book of a market, at a price of the book. */
export type CrowdOrder = Pick<OrderRequest, 'isBuy' | 'price' | 'size' | 'timeInForce'>;

/** An order that rests, at the price of the book. */
export type BookOrder = {
  readonly orderId: number;
  readonly isBuy: boolean;
  readonly price: number;
  readonly remaining: number;
  readonly filled: number;
};

/** What a replay has to know of a market: in this a perp and an outcome market differ. Sizes are lots, prices are price units. */
export type ReplayedMarket = {
  readonly instrumentId: InstrumentId;
  readonly name: string;
  readonly szDecimals: number;
  readonly priceTick: number;
  readonly priceMax: number;
  /** The largest order that takes, and that rests. */
  readonly takeMax: number;
  readonly restMax: number;
  /** How much one account may hold before another one is asked. */
  readonly roomMax: number;
  /** R-delay: how long an order waits that would take. */
  readonly orderDelayMs: number;
  readonly subAccount: 'perp' | 'outcome';
  /** Whose price the oracle tells; undefined where a market has none. */
  readonly oracleSymbol: string | undefined;
  /** From the price to the best quote and from level to level, where nothing else is said. */
  gapAt(price: number, gap: number | undefined): number;
  /** The smallest order at a price. */
  lotsMin(state: State, price: number): number;
  /** What somebody does before the first order. */
  prepare(authority: Authority): readonly Command[];
  /** An order as the engine takes it. */
  requestOf(order: CrowdOrder): OrderRequest;
  /** What rests of an account in this market, oldest first. */
  ordersOf(state: State, account: Address): readonly BookOrder[];
  /** What an account holds; below zero is short, or NO. */
  heldBy(state: State, account: Address): number;
};
