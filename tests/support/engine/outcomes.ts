import { type Address, instrumentId, type InstrumentId, timeMs } from '@oddlot/units';
import type { BlockResult, CommandResult } from '../../../packages/engine/src/messages/block.ts';
import type {
  EventListing,
  MarketListing,
  OrderRequest,
  OutcomeLeg,
} from '../../../packages/engine/src/messages/command.ts';
import type { OutcomeTradeSide, EntryResult } from '../../../packages/engine/src/messages/event.ts';
import type {
  OutcomeHolding,
  OutcomeMarket,
} from '../../../packages/engine/src/state/outcome-market.ts';
import { alice, bob, carol, Scenario, START_MS } from './scenario.ts';

/**
 * The outcome market used in the engine tests. Shares have two decimals, one price unit is 1/10,000
 * USDC, and the tick is 0.01 USDC.
 */

export const MARKET_ID = instrumentId(100_000);
/** The price 1.00 in price units. */
export const UNIT = 10_000;
const HOUR_MS = 3_600_000;

export const EVENT: EventListing = {
  slug: 'event',
  title: 'An event',
  description: '',
  category: 'test',
  tags: [],
  image: null,
  icon: null,
  mutuallyExclusive: false,
  startMs: timeMs(START_MS),
  endMs: timeMs(START_MS + 24 * HOUR_MS),
};

export const MARKET: MarketListing = {
  eventSlug: 'event',
  slug: 'market',
  question: 'Will it?',
  groupTitle: null,
  description: '',
  resolutionSource: 'a test',
  outcomes: ['Yes', 'No'],
  startMs: timeMs(START_MS),
  endMs: timeMs(START_MS + 24 * HOUR_MS),
  szDecimals: 2,
  priceTick: 100,
  minOrderSize: 500,
  maxOrderSize: 100_000_000,
  takerFeeE8: 7_000_000,
  orderDelayMs: 0,
  underlying: null,
};

type MarketOptions = Partial<MarketListing> & {
  readonly event?: Partial<EventListing>;
  readonly funds?: number;
};

/** Opens a venue with one market and funded outcome sub-accounts. */
export function openMarket(options: MarketOptions = {}): Scenario {
  const { event, funds = 1_000_000_000, ...market } = options;
  const venue = Scenario.open({ accounts: [] });
  venue.block(
    { type: 'registerEvent', event: { ...EVENT, ...event } },
    { type: 'registerMarket', market: { ...MARKET, ...market } },
  );
  for (const account of [alice, bob, carol]) fundOutcome(venue, account, funds);
  return venue;
}

export function fundOutcome(venue: Scenario, account: Address, amountMicroUsdc: number): void {
  venue.block({ type: 'creditFaucet', account, subAccount: 'outcome', amountMicroUsdc });
}

/** An order for one outcome, which can be NO. The price is that of the chosen outcome. */
export type ShareOrder = {
  readonly leg?: OutcomeLeg;
  readonly sell?: boolean;
  readonly price: number;
  readonly size: number;
} & Partial<Omit<OrderRequest, 'isBuy' | 'reduceOnly' | 'price' | 'size'>>;

/**
 * Converts an outcome order to an order of the YES book. In the combined book (R-one-book), `b` and
 * `r` together encode the outcome and the direction.
 */
export function shareOrder({ leg = 'yes', sell = false, ...rest }: ShareOrder): OrderRequest {
  const isBuy = leg === 'yes' ? !sell : sell;
  return { instrumentId: MARKET_ID, timeInForce: 'gtc', ...rest, isBuy, reduceOnly: sell };
}

/** Places orders in one action and returns the resulting block. */
export function sendShares(
  venue: Scenario,
  account: Address,
  ...orders: readonly ShareOrder[]
): BlockResult {
  const authority = venue.authority(account);
  return venue.block({ type: 'placeOrders', authority, orders: orders.map(shareOrder) });
}

export function share(venue: Scenario, account: Address, order: ShareOrder): EntryResult {
  const entry = sendShares(venue, account, order).outcomes[0]?.entries?.[0];
  if (entry === undefined) throw new Error('the order was refused as a whole');
  return entry;
}

export function operate(
  venue: Scenario,
  account: Address,
  kind: 'split' | 'merge',
  size: number,
  id: InstrumentId = MARKET_ID,
): CommandResult {
  const entries = [{ instrumentId: id, size }];
  return venue.outcome({
    type: 'operateOutcome',
    authority: venue.authority(account),
    kind,
    entries,
  });
}

export function marketOf(venue: Scenario, id: InstrumentId = MARKET_ID): OutcomeMarket {
  const market = venue.state.outcomes.markets.get(id);
  if (market === undefined) throw new Error(`no market ${id}`);
  return market;
}

export function sharesOf(
  venue: Scenario,
  account: Address,
  id: InstrumentId = MARKET_ID,
): OutcomeHolding | undefined {
  return venue.account(account).outcomes.get(id);
}

const NAMES = new Map([
  [alice, 'alice'],
  [bob, 'bob'],
  [carol, 'carol'],
]);

/** Returns the outcome-market events of a block as lines of text. */
export function describeEvents({ events }: BlockResult): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case 'outcomeTraded': {
        const { kind, maker, price, size, taker } = event;
        return [`${kind} ${size / 100} at ${price / UNIT}: ${side(taker)}, ${side(maker)}`];
      }
      case 'orderUpdated': {
        const { cancelCause, order, reject, status } = event;
        const rest = status === 'filled' ? '' : ` ${order.remaining / 100}`;
        const why = cancelCause ?? reject?.reason;
        return [`#${order.orderId} ${status}${why === undefined ? rest : ` ${why}`}`];
      }
      case 'outcomeOrderQueued':
        return ['queued'];
      case 'outcomeOrderReleased':
        return event.entry.orderId === undefined ? [`refused ${event.entry.reject?.reason}`] : [];
      case 'marketPhaseChanged':
        return [`${event.from} to ${event.to}`];
      case 'sharesSettled': {
        const { account, amount, leg, size } = event;
        return [`${nameOf(account)}: ${size / 100} ${leg} pay ${usdc(amount)}`];
      }
      default:
        return [];
    }
  });
}

function side({ account, fee, isSell, leg, price }: OutcomeTradeSide): string {
  const paid = fee === 0n ? '' : ` for ${usdc(fee)}`;
  return `${nameOf(account)} ${isSell ? 'sells' : 'buys'} ${leg} ${price / UNIT}${paid}`;
}

function nameOf(account: Address): string {
  return NAMES.get(account) ?? account;
}

function usdc(amount: bigint): number {
  return Number(amount) / 1_000_000;
}

/** Returns an account's outcome balance, reserved money and shares as text. */
export function fundsOf(venue: Scenario, account: Address, id: InstrumentId = MARKET_ID): string {
  const { outcomeBalance, outcomeReserved, outcomes } = venue.account(account);
  const holding = outcomes.get(id);
  const legs = (['yes', 'no'] as const).flatMap((leg) => {
    const { reserved, size } = holding?.[leg] ?? { reserved: 0, size: 0 };
    if (size === 0) return [];
    return [`${size / 100} ${leg}${reserved === 0 ? '' : ` (${reserved / 100} offered)`}`];
  });
  const held = outcomeReserved === 0n ? '' : ` + ${usdc(outcomeReserved)} reserved`;
  return [`${usdc(outcomeBalance)}${held}`, ...legs].join(', ');
}

/**
 * Resolves a closed market through an operator action. `fraction` is the payout of one YES share.
 */
export function decide(
  venue: Scenario,
  fraction: number,
  id: InstrumentId = MARKET_ID,
): BlockResult {
  const texts = { oracleOutcome: null, evidence: null };
  return venue.block({ type: 'resolveMarket', instrumentId: id, fraction, ...texts });
}

export function setPhase(
  venue: Scenario,
  to: 'open' | 'halted' | 'closed',
  ...ids: readonly InstrumentId[]
): BlockResult {
  const instrumentIds = ids.length === 0 ? [MARKET_ID] : ids;
  return venue.block({ type: 'setTrading', instrumentIds, to });
}

export function later(venue: Scenario, ms: number): BlockResult {
  return venue.wait(ms).block();
}
