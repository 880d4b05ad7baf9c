import type { Leg } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useStore } from 'zustand';
import { texts } from 'words:outcomes';
import { addWords, useWords } from '../../lib/words.ts';
import { quickTrade } from '../../market/events/quick-trade.ts';
import { useOutcomeTickers } from '../../market/streams.ts';
import { partsOf } from '../../ui/figures.tsx';
import { Sheet } from '../../ui/overlays.tsx';
import { ScreenState } from '../../ui/states.tsx';
import { markOf } from './market-facts.ts';
import { useEvent } from './queries.ts';
import { TicketPanel, type Choice } from './ticket/ticket.tsx';

addWords(texts);

/** The amount, in USDC, that a ticket opens with, so that one more press sends the order. */
const FIRST_AMOUNT = '10';

/** The ticket that opens in place when a price on an event card is pressed. */
export function QuickTicket() {
  const { open } = useStore(quickTrade);
  const { data: event } = useEvent(open?.eventSlug);
  return (
    <Sheet
      title={partsOf(event?.title ?? '').main}
      isOpen={open !== undefined}
      onClose={() => quickTrade.setState({ open: undefined })}
    >
      {open !== undefined && (
        <Ticket key={`${open.marketSlug} ${open.leg}`} {...open} firstLeg={open.leg} />
      )}
    </Sheet>
  );
}

type TicketProps = {
  readonly eventSlug: string;
  readonly marketSlug: string;
  readonly firstLeg: Leg;
};

function Ticket({ eventSlug, marketSlug, firstLeg }: TicketProps) {
  const t = useWords();
  const { data: event, error, isPending } = useEvent(eventSlug);
  const [choice, setChoice] = useState<Choice>({
    intent: 'buy',
    leg: firstLeg,
    cents: undefined,
  });
  const market = event?.markets.find(({ slug }) => slug === marketSlug);
  const byId = useOutcomeTickers(market === undefined ? [] : [market]);
  if (event === undefined || market === undefined) {
    return <ScreenState error={error} isPending={isPending} />;
  }
  return (
    <div className="flex flex-col gap-4">
      <TicketPanel
        event={event}
        market={market}
        mark={markOf(market, byId)}
        choice={choice}
        firstAmount={FIRST_AMOUNT}
        onChoose={(part) => setChoice((before) => ({ ...before, ...part }))}
      />
      <Link
        to={`/events/${eventSlug}`}
        search={{ market: marketSlug }}
        onClick={() => quickTrade.setState({ open: undefined })}
        className="text-12 text-accent hover:underline"
      >
        {t('outcomes.toEvent')}
      </Link>
    </div>
  );
}
