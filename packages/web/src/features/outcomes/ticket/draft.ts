import { buyNo, buyYes, sellNo, sellYes, type Leg, type OrderEntry } from '@oddlot/sdk';
import { compare, isDecimal, multiply, onStep, sign } from '../../../lib/decimal.ts';
import type { Ladder } from '../market-facts.ts';
import {
  quoteBuyFor,
  quoteBuyShares,
  quoteSell,
  reserveOf,
  sharesFor,
  type Grid,
  type Quote,
} from '../quote.ts';

export type Ticket = {
  readonly intent: 'buy' | 'sell';
  readonly leg: Leg;
  readonly kind: 'market' | 'limit';
  readonly unit: 'money' | 'shares';
  readonly amount: string;
  /** In cents. */
  readonly cents: string;
  readonly life: 'gtc' | '1h' | '24h' | 'date';
  /** Of `date`, in milliseconds. */
  readonly untilMs: number | undefined;
  readonly isPostOnly: boolean;
};

type TicketFault = 'amount' | 'price' | 'offTick' | 'small' | 'emptyBook' | 'date';

/** The order that a ticket stands for; without an entry it is not one yet, and `fault` says why. */
export type Draft = {
  readonly fault: TicketFault | undefined;
  readonly shares: string;
  readonly price: string | undefined;
  /** What a purchase can cost at most, which the venue sets aside. */
  readonly reserve: string | undefined;
  /** The price that was meant, where the typed one is between two. */
  readonly nearestCents: string | undefined;
  readonly quote: Quote | undefined;
  /** With the time after which a rest is cancelled, where there is one. */
  readonly entry: ((nowMs: number) => OrderEntry) | undefined;
};

/** A market order that does not fill at once stays no longer than this. */
export const MARKET_REST_MS = 10_000;
const HOUR_MS = 3_600_000;
const LIVES = { '1h': HOUR_MS, '24h': 24 * HOUR_MS } as const;

export type DraftFacts = {
  readonly asset: number;
  readonly grid: Grid;
  readonly minSize: string;
  readonly ladder: Ladder;
  readonly freeShares: string;
};

export function draftOf(ticket: Ticket, facts: DraftFacts): Draft {
  const { amount, kind } = ticket;
  if (!isDecimal(amount) || sign(amount) <= 0) return faulty('amount');
  return kind === 'market' ? marketDraft(ticket, facts) : limitDraft(ticket, facts);
}

function marketDraft(ticket: Ticket, facts: DraftFacts): Draft {
  const { amount, intent, leg, unit } = ticket;
  const { grid, ladder } = facts;
  const quote =
    intent === 'sell'
      ? quoteSell(amount, ladder.bids, grid)
      : unit === 'money'
        ? quoteBuyFor(amount, ladder.asks, grid)
        : quoteBuyShares(amount, ladder.asks, grid);
  if (quote === undefined) return faulty('emptyBook');
  const { limit: price, shares } = quote;
  if (isTooSmall(shares, ticket, facts)) return { ...faulty('small'), shares, price, quote };
  const order = { asset: facts.asset, price, size: shares };
  return {
    ...faulty(undefined),
    shares,
    price,
    reserve: intent === 'buy' ? quote.reserve : undefined,
    quote,
    entry: (nowMs) =>
      make(intent, leg)({ ...order, tif: 'Gtd', expireTime: nowMs + MARKET_REST_MS }),
  };
}

function limitDraft(ticket: Ticket, facts: DraftFacts): Draft {
  const { amount, cents, intent, isPostOnly, leg, life, unit, untilMs } = ticket;
  const { asset, grid } = facts;
  if (!isDecimal(cents) || sign(cents) <= 0 || compare(cents, '100') >= 0) return faulty('price');
  const price = multiply(cents, '0.01');
  const nearest = onStep(price, grid.tick);
  if (compare(nearest, price) !== 0) {
    return { ...faulty('offTick'), nearestCents: multiply(nearest, '100') };
  }
  const shares = unit === 'money' ? sharesFor(amount, price, grid) : amount;
  const reserve = intent === 'buy' ? reserveOf(shares, price, grid) : undefined;
  if (isTooSmall(shares, ticket, facts)) return { ...faulty('small'), shares, price };
  if (life === 'date' && untilMs === undefined) return { ...faulty('date'), shares, price };
  const order = { asset, price, size: shares };
  const entry = (nowMs: number): OrderEntry => {
    if (life === 'gtc') return make(intent, leg)({ ...order, tif: isPostOnly ? 'Alo' : 'Gtc' });
    const expireTime = lastingMs({ life, untilMs }, nowMs) ?? 0;
    return make(intent, leg)({ ...order, tif: 'Gtd', expireTime });
  };
  return { ...faulty(undefined), shares, price, reserve, entry };
}

/** When the rest of an order is cancelled by its own time; undefined where it has none. */
export function lastingMs(
  { life, untilMs }: Pick<Ticket, 'life' | 'untilMs'>,
  nowMs: number,
): number | undefined {
  if (life === 'gtc') return undefined;
  return life === 'date' ? untilMs : nowMs + LIVES[life];
}

function isTooSmall(
  shares: string,
  { intent }: Ticket,
  { freeShares, minSize }: DraftFacts,
): boolean {
  if (sign(shares) <= 0) return true;
  if (intent === 'sell' && compare(shares, freeShares) === 0) return false;
  return compare(shares, minSize) < 0;
}

function make(intent: Ticket['intent'], leg: Leg): typeof buyYes {
  if (intent === 'buy') return leg === 'Yes' ? buyYes : buyNo;
  return leg === 'Yes' ? sellYes : sellNo;
}

function faulty(fault: TicketFault | undefined): Draft {
  return {
    fault,
    shares: '0',
    price: undefined,
    reserve: undefined,
    nearestCents: undefined,
    quote: undefined,
    entry: undefined,
  };
}
