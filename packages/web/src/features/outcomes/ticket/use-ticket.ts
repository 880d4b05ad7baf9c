import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { L2Book, Leg, OutcomeMarketMeta, SimulatedAction } from '@oddlot/sdk';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { books } from '../../../market/book.ts';
import { outcomeFates } from '../../../market/outcome-fates.ts';
import { connection, venueNow } from '../../../market/venue.ts';
import { emptied } from '../../../ui/emptied.ts';
import { ladderOf } from '../legs.ts';
import { gridOf, legName } from '../market-facts.ts';
import { usePurse, type Purse } from '../use-purse.ts';
import { draftOf, type Draft, type Ticket } from './draft.ts';
import { moneyToMove } from './money-to-move.ts';
import { outlookOf, type Outlook } from './outlook.ts';
import { useSend, type Sending } from './use-send.ts';
import { useSimulated } from './use-simulated.ts';

/** What is typed; what to do and which leg is chosen outside. */
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
  /** What the venue says of the order, and whether it is of an earlier one. */
  readonly simulated: { readonly data: SimulatedAction | undefined; readonly isOld: boolean };
  readonly book: L2Book | undefined;
  readonly purse: Purse;
  readonly sending: Sending;
  /** Nothing can be sent now. */
  readonly isLost: boolean;
  change(part: Partial<Typed>): void;
  submit(): Promise<void>;
};

/** An order as it is typed, with what it would do now. */
export function useTicket(
  market: OutcomeMarketMeta,
  { intent, leg, cents }: { intent: 'buy' | 'sell'; leg: Leg; cents: string | undefined },
): OpenTicket {
  const t = useWords();
  const [typed, setTyped] = useState<Typed>({
    ...NEW,
    unit: intent === 'buy' ? 'money' : 'shares',
  });
  // A price that was pressed in the book makes it a limit order.
  useEffect(() => {
    if (cents !== undefined) setTyped((before) => ({ ...before, kind: 'limit', cents }));
  }, [cents]);
  const purse = usePurse(market.instrument_id);
  const { session } = purse;
  const book = books.use({ coin: String(market.instrument_id) }, (state) => state.book);
  const sending = useSend(session?.trader);
  // Subscribed before the first order is sent, so that nothing of it is missed.
  outcomeFates.useStore(session?.trader === undefined ? undefined : session.address);
  const ticket: Ticket = { ...typed, intent, leg };
  const draft = draftOf(ticket, {
    asset: market.instrument_id,
    grid: gridOf(market),
    minSize: market.min_order_size,
    ladder: ladderOf(book, leg),
    freeShares: purse.freeShares(leg),
  });
  const simulated = useSimulated(session?.address, draft);
  const isLost = useStore(connection, ({ status }) => status === 'lost');
  const submit = async (): Promise<void> => {
    // Enter does what the button would, and nothing where there is another one in its place.
    const isReady = market.trading.accepting_orders && !isLost;
    if (!isReady || moneyToMove({ ticket, draft, purse }) !== undefined) return;
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
    purse,
    sending,
    isLost,
    change: (part) => {
      sending.clear();
      setTyped((before) => ({ ...before, ...part }));
    },
    submit,
  };
}

/** How long it will wait: as the venue says of this very order, or by the market's rule for one that takes. */
function delayOf(
  { quote }: Draft,
  { data, isOld }: OpenTicket['simulated'],
  market: OutcomeMarketMeta,
): number {
  const known = data?.accepted === true && !isOld ? data.orders[0]?.delayMs : undefined;
  return known ?? (quote === undefined ? 0 : market.trading.order_delay_ms);
}
