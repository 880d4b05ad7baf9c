import {
  buyNo,
  buyYes,
  sellNo,
  sellYes,
  type ActionStatus,
  type Client,
  type Details,
  type Leg,
  type OrderEntry,
  type OrderResult,
  type OrderUpdate,
  type OutcomeOrderRelease,
  type UpdatedOutcomeOrder,
} from '@oddlot/sdk';
import {
  compare,
  isDecimal,
  multiply,
  onStep,
  roundTo,
  sign,
  subtract,
} from '../../../lib/decimal.ts';
import { number, usdc } from '../../../lib/format.ts';
import { createLive } from '../../../market/live.ts';
import { reader } from '../../../market/venue.ts';
import type { Ladder } from '../market-facts.ts';
import type { Funds } from '../queries.ts';
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
  readonly cents: string;
  readonly life: 'gtc' | '1h' | '24h' | 'date';
  readonly untilMs: number | undefined;
  readonly isPostOnly: boolean;
};

type TicketFault = 'amount' | 'price' | 'offTick' | 'small' | 'emptyBook' | 'date';

export type Draft = {
  readonly fault: TicketFault | undefined;
  readonly shares: string;
  readonly price: string | undefined;
  readonly reserve: string | undefined;
  readonly nearestCents: string | undefined;
  readonly quote: Quote | undefined;
  readonly entry: ((nowMs: number) => OrderEntry) | undefined;
};

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

type Wanted = { readonly ticket: Ticket; readonly draft: Draft; readonly funds: Funds };

type ToMove = {
  readonly owner: Client;
  readonly missing: string;
  readonly perpCash: string;
  readonly step?: string | undefined;
};

const CENT = '0.01';

export function moneyToMove(wanted: Wanted): ToMove | undefined {
  const missing = missingOf(wanted);
  if (missing === undefined) return undefined;
  return movable(wanted.funds, missing, isBySpending(wanted) ? CENT : undefined);
}

export function movable(
  { perpCash, session }: Funds,
  missing: string,
  step?: string,
): ToMove | undefined {
  const owner = session?.owner;
  if (owner === undefined || !isDecimal(perpCash) || sign(perpCash) <= 0) return undefined;
  return { owner, missing, perpCash, step };
}

function missingOf(wanted: Wanted): string | undefined {
  const { reserve } = wanted.draft;
  const { cash } = wanted.funds;
  if (reserve === undefined || !isDecimal(cash) || compare(reserve, cash) <= 0) return undefined;
  return subtract(isBySpending(wanted) ? wanted.ticket.amount : reserve, cash);
}

function isBySpending({ draft, ticket }: Wanted): boolean {
  return ticket.unit === 'money' && draft.quote?.isWhole !== false;
}

export function mostOf(most: string | undefined, unit: 'money' | 'shares'): string | undefined {
  if (!isDecimal(most)) return undefined;
  const whole = unit === 'money' ? roundTo(most, 2, 'down') : most;
  if (sign(whole) <= 0) return undefined;
  return unit === 'money' ? usdc(whole) : number(whole);
}

export type SentOrder = {
  readonly id: number;
  readonly words: string;
  readonly sentMs: number;
  readonly delayMs: number;
  readonly traceId: string | undefined;
  readonly isAskedFor?: boolean;
  readonly result?: OrderResult | undefined;
};

export type OrderState =
  | { readonly at: 'sent' }
  | { readonly at: 'queued' }
  | { readonly at: 'book'; readonly filled: string; readonly left: string }
  | { readonly at: 'filled'; readonly filled: string; readonly average: string | null }
  | { readonly at: 'ended'; readonly filled: string; readonly reason: string | undefined }
  | { readonly at: 'failed'; readonly message: string; readonly details: Details | undefined };

export function orderStateOf(
  { result, traceId }: SentOrder,
  { releases, updates }: OrderStatesData,
  receipt: ActionStatus | undefined,
): OrderState {
  if (traceId === undefined) return result === undefined ? { at: 'sent' } : fromResult(result);
  const release = releases.get(traceId);
  if (release?.success === false) {
    const { details, message } = release.body;
    return { at: 'failed', message, details: details as Details | undefined };
  }
  const byTrace = [...updates.values()].findLast(({ order }) => order.traceId === traceId);
  const update = release?.oid === undefined ? byTrace : (updates.get(release.oid) ?? byTrace);
  if (update !== undefined) {
    const { order, reason, status } = update;
    if (status === 'filled') return { at: 'filled', filled: order.filledSz, average: order.avgPx };
    if (status === 'open') return { at: 'book', filled: order.filledSz, left: order.sz };
    return { at: 'ended', filled: order.filledSz, reason };
  }
  return fromReceipt(receipt) ?? { at: 'queued' };
}

function fromReceipt(receipt: ActionStatus | undefined): OrderState | undefined {
  const result = receipt?.result?.orders?.[0];
  if (receipt?.status === 'failed') {
    const { details, message } = receipt.error;
    return { at: 'failed', message: result?.error ?? message, details };
  }
  return result === undefined ? undefined : fromResult(result);
}

function fromResult({ avgPx: average, error, filledSz: filled, state }: OrderResult): OrderState {
  if (state === 'rejected') return { at: 'failed', message: error ?? '', details: undefined };
  if (state === 'filled') return { at: 'filled', filled, average };
  if (state === 'open') return { at: 'book', filled, left: '' };
  return { at: 'ended', filled, reason: error ?? undefined };
}

export function isOver({ at }: OrderState): boolean {
  return at === 'filled' || at === 'ended' || at === 'failed';
}

export type OutcomeUpdate = OrderUpdate<UpdatedOutcomeOrder>;

export type OrderStatesData = {
  readonly releases: ReadonlyMap<string, OutcomeOrderRelease>;
  readonly updates: ReadonlyMap<number, OutcomeUpdate>;
};

const ENTRIES_MAX = 200;

export const outcomeOrderStates = createLive<string, OrderStatesData>({
  key: (user) => user,
  initial: () => ({ releases: new Map(), updates: new Map() }),
  open: (user, store) => {
    const queue = reader.streams.outcomeOrderUpdate({ user, includeSuccess: true }, (event) => {
      if (event.type === 'reset') return;
      const { data } = event;
      store.setState({ releases: withNews(store.getState().releases, [[data.traceId, data]]) });
    });
    const book = reader.streams.outcomeOrderUpdates({ user }, (event) => {
      if (event.type === 'reset') return;
      const byOid = event.data.map((update) => [update.order.oid, update] as const);
      store.setState({ updates: withNews(store.getState().updates, byOid) });
    });
    return () => {
      queue.close();
      book.close();
    };
  },
});

function withNews<Key, Value>(
  known: ReadonlyMap<Key, Value>,
  news: readonly (readonly [Key, Value])[],
): ReadonlyMap<Key, Value> {
  return new Map([...known, ...news].slice(-ENTRIES_MAX));
}
