import type {
  Client,
  L2Book,
  Leg,
  OrderEntry,
  OutcomeMarketMeta,
  SimulatedAction,
} from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { add, divide, isDecimal, larger, multiply, sign, subtract } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { books } from '../../../market/streams.ts';
import { connection, reader, venueNow } from '../../../market/venue.ts';
import { sentOnce } from '../../../session/sent-once.ts';
import { emptied } from '../../../ui/controls.tsx';
import { useDoing } from '../../../ui/states.tsx';
import { gridOf, ladderOf, legName } from '../market-facts.ts';
import { useFunds, type Funds } from '../queries.ts';
import {
  draftOf,
  moneyToMove,
  outcomeOrderStates,
  type Draft,
  type SentOrder,
  type Ticket,
} from './draft.ts';

export type Typed = Omit<Ticket, 'intent' | 'leg'>;

const NEW: Typed = {
  kind: 'market',
  unit: 'money',
  amount: '',
  cents: '',
  life: 'gtc',
  untilMs: undefined,
  isPostOnly: false,
};

export type OpenTicket = {
  readonly ticket: Ticket;
  readonly draft: Draft;
  readonly outlook: Outlook | undefined;
  readonly simulated: { readonly data: SimulatedAction | undefined; readonly isOld: boolean };
  readonly book: L2Book | undefined;
  readonly funds: Funds;
  readonly sending: Sending;
  readonly isLost: boolean;
  change(part: Partial<Typed>): void;
  submit(): Promise<void>;
};

type Wanted = {
  readonly intent: 'buy' | 'sell';
  readonly leg: Leg;
  readonly cents: string | undefined;
  readonly firstAmount: string | undefined;
};

export function useTicket(
  market: OutcomeMarketMeta,
  { intent, leg, cents, firstAmount = '' }: Wanted,
): OpenTicket {
  const t = useWords();
  const [typed, setTyped] = useState<Typed>({
    ...NEW,
    unit: intent === 'buy' ? 'money' : 'shares',
    amount: firstAmount,
  });
  useEffect(() => {
    if (cents !== undefined) setTyped((before) => ({ ...before, kind: 'limit', cents }));
  }, [cents]);
  const funds = useFunds(market.instrument_id);
  const { session } = funds;
  const book = books.use({ coin: String(market.instrument_id) }, (state) => state.book);
  const sending = useSend(session?.trader);
  // The stream is subscribed before the first order, so that no update is missed.
  outcomeOrderStates.useStore(session?.trader === undefined ? undefined : session.address);
  const ticket: Ticket = { ...typed, intent, leg };
  const draft = draftOf(ticket, {
    asset: market.instrument_id,
    grid: gridOf(market),
    minSize: market.min_order_size,
    ladder: ladderOf(book, leg),
    freeShares: funds.freeShares(leg),
  });
  const simulated = useSimulated(session?.address, draft);
  const isLost = useStore(connection, ({ status }) => status === 'lost');
  const submit = async (): Promise<void> => {
    const isReady = market.trading.accepting_orders && !isLost;
    if (!isReady || moneyToMove({ ticket, draft, funds }) !== undefined) return;
    if (draft.entry === undefined) return;
    const key = intent === 'buy' ? 'outcomes.ticket.buyWords' : 'outcomes.ticket.sellWords';
    const words = t(key, { shares: number(draft.shares), leg: legName(market, leg) });
    const delayMs = delayOf(draft, simulated, market);
    const isSent = await sending.send(draft.entry(venueNow()), { words, delayMs });
    if (isSent) setTyped((now) => ({ ...now, amount: emptied(typed.amount)(now.amount) }));
  };
  return {
    ticket,
    draft,
    outlook: outlookOf(ticket, draft, simulated.data),
    simulated,
    book,
    funds,
    sending,
    isLost,
    change: (part) => {
      sending.clear();
      setTyped((before) => ({ ...before, ...part }));
    },
    submit,
  };
}

function delayOf(
  { quote }: Draft,
  { data, isOld }: OpenTicket['simulated'],
  market: OutcomeMarketMeta,
): number {
  const known = data?.accepted === true && !isOld ? data.orders[0]?.delayMs : undefined;
  return known ?? (quote === undefined ? 0 : market.trading.order_delay_ms);
}

let lastId = 0;

type Sending = {
  readonly sent: SentOrder | undefined;
  readonly isBusy: boolean;
  readonly error: unknown;
  send(entry: OrderEntry, facts: { words: string; delayMs: number }): Promise<boolean>;
  clear(): void;
};

function useSend(trader: Client | undefined): Sending {
  const [sent, setSent] = useState<SentOrder>();
  const { run, ...doing } = useDoing();
  const send: Sending['send'] = async (entry, facts) => {
    if (trader === undefined) return false;
    return run(async () => {
      lastId += 1;
      const order: SentOrder = { id: lastId, ...facts, sentMs: venueNow(), traceId: undefined };
      setSent(order);
      try {
        const reply = await sentOnce(
          trader,
          ({ exchange }) => exchange.order({ orders: [entry] }),
          () => setSent({ ...order, isAskedFor: true }),
        );
        const traceId = reply.status === 'queued' ? reply.traceId : undefined;
        // The response was lost, but the receipt contains the result.
        const result = reply.status === 'executed' ? reply.orders[0] : undefined;
        setSent({ ...order, traceId, result });
      } catch (fault) {
        setSent(undefined);
        throw fault;
      }
    });
  };
  return { ...doing, sent, send };
}

type Outlook = {
  readonly filled: string;
  readonly average: string | undefined;
  readonly resting: string;
  readonly fee: string;
  readonly delayMs: number;
  readonly total: string;
  readonly setAside: string;
  readonly ifRight: string;
  readonly ifWrong: string;
  readonly gain: string | undefined;
};

function outlookOf(
  ticket: Ticket,
  draft: Draft,
  simulated: SimulatedAction | undefined,
): Outlook | undefined {
  const { price, quote, shares } = draft;
  if (draft.entry === undefined || price === undefined) return undefined;
  const order = simulated?.accepted === true ? simulated.orders[0] : undefined;
  const filled = order?.filledSz ?? (quote === undefined ? '0' : shares);
  const average = order === undefined ? quote?.average : (order.avgPx ?? undefined);
  const fee = order === undefined ? (quote?.fee ?? '0') : add(order.fee, order.builderFee);
  const resting = ticket.kind === 'market' ? '0' : subtract(shares, filled);
  const traded = isDecimal(average) ? multiply(filled, average) : '0';
  const value = add(traded, multiply(resting, price));
  const counted = add(filled, resting);
  const isBuy = ticket.intent === 'buy';
  const total = isBuy ? add(value, fee) : subtract(value, fee);
  const ifRight = subtract(counted, total);
  return {
    filled,
    average,
    resting,
    fee,
    delayMs: order?.delayMs ?? 0,
    total,
    setAside: larger(draft.reserve ?? '0', total),
    ifRight,
    ifWrong: subtract('0', total),
    gain: isBuy && sign(total) > 0 ? divide(ifRight, total, 4) : undefined,
  };
}

const EVERY_MS = 300;
const AGAIN_MS = 3_000;

function useSimulated(
  user: string | undefined,
  draft: Draft,
): { readonly data: SimulatedAction | undefined; readonly isOld: boolean } {
  const text = draft.entry === undefined ? undefined : JSON.stringify(draft.entry(0));
  const settled = useThrottled(text, EVERY_MS);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['simulate', user, settled],
    queryFn: ({ signal }) => {
      const order = entryNow(JSON.parse(settled ?? '') as OrderEntry);
      const action = { type: 'order' as const, grouping: 'na' as const, orders: [order] };
      return reader.info.simulate({ user: user ?? '', action }, { signal });
    },
    enabled: user !== undefined && settled !== undefined,
    refetchInterval: AGAIN_MS,
    gcTime: 0,
    staleTime: 0,
    placeholderData: (before) => before,
  });
  if (text === undefined) return { data: undefined, isOld: false };
  return { data, isOld: isPlaceholderData || text !== settled };
}

function entryNow(entry: OrderEntry): OrderEntry {
  const { t } = entry;
  if (!('limit' in t) || t.limit.tif !== 'Gtd') return entry;
  return { ...entry, t: { limit: { ...t.limit, expireTime: venueNow() + 3_600_000 } } };
}

function useThrottled<Value>(value: Value, everyMs: number): Value {
  const [settled, setSettled] = useState(value);
  const lastMs = useRef(0);
  useEffect(() => {
    const waitMs = Math.max(0, lastMs.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      lastMs.current = performance.now();
      setSettled(value);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  return settled;
}
