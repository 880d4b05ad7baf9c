import type { Leg, OutcomeEventMeta, OutcomeMarketMeta } from '@oddlot/sdk';
import { useState } from 'react';
import { cents, probability } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { priceDecimals } from '../../market/cells.tsx';
import { Button } from '../../ui/controls.tsx';
import { Badge } from '../../ui/figures.tsx';
import { Sheet } from '../../ui/overlays.tsx';
import { useIsWide } from '../../ui/styles.ts';
import { lacksStrike, legName, nameOf, priceToBuy, type Bbo } from './market-facts.ts';
import { Receipt } from './receipt.tsx';
import { TicketPanel, type Choice } from './ticket/ticket.tsx';

type TradeSideProps = {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly mark: string | undefined;
  readonly bbo: Bbo | undefined;
  readonly choosing: Choosing;
};

export function TradeSide({ event, market, mark, bbo, choosing }: TradeSideProps) {
  const { choice, choose, isSheetOpen, setIsSheetOpen } = choosing;
  const t = useWords();
  const isWide = useIsWide();
  const isResolved = market.phase === 'resolved';
  const content = isResolved ? (
    <Receipt event={event} market={market} />
  ) : (
    <TicketPanel event={event} market={market} mark={mark} choice={choice} onChoose={choose} />
  );
  if (isWide) {
    return (
      <aside className="w-82 shrink-0 border-s border-line">
        <div className="sticky top-0 flex flex-col gap-6 p-4">
          {content}
          {!isResolved && (
            <p className="text-12 text-muted">
              {t(
                event.series_slug !== null && !lacksStrike(market)
                  ? 'outcomes.bySeries'
                  : 'outcomes.byOperator',
              )}
            </p>
          )}
        </div>
      </aside>
    );
  }
  if (isResolved) return <div className="border-t border-line p-4">{content}</div>;
  return (
    <>
      <Bar event={event} market={market} mark={mark} bbo={bbo} choosing={choosing} />
      <Sheet
        title={nameOf(market, event)}
        isOpen={isSheetOpen}
        onClose={() => setIsSheetOpen(false)}
      >
        {content}
      </Sheet>
    </>
  );
}

function Bar({ event, market, mark, bbo, choosing: { open } }: TradeSideProps) {
  const t = useWords();
  const isOpen = market.phase === 'open';
  return (
    <div className="sticky bottom-0 z-20 grid grid-cols-2 gap-2 border-t border-line bg-panel p-3">
      <p className="col-span-2 flex items-center gap-3 text-12">
        <span className="me-auto min-w-0 truncate">{nameOf(market, event)}</span>
        {!isOpen && <Badge tone="warning">{t(`outcomes.phase.${market.phase}`)}</Badge>}
        <span className="text-muted">{probability(mark)}</span>
      </p>
      {isOpen ? (
        (['Yes', 'No'] as const).map((leg) => (
          <Button
            key={leg}
            kind={leg === 'Yes' ? 'buy' : 'sell'}
            size="large"
            isWide
            onClick={() => open({ leg, intent: 'buy' })}
          >
            {t('outcomes.buyLeg', {
              leg: legName(market, leg),
              price: cents(priceToBuy(bbo, leg), priceDecimals(market)),
            })}
          </Button>
        ))
      ) : (
        <div className="col-span-2">
          <Button size="large" isWide onClick={() => open({})}>
            {t(market.phase === 'closed' ? 'outcomes.ticket.merge' : 'outcomes.ticket.label')}
          </Button>
        </div>
      )}
    </div>
  );
}

export type ChoiceSearch = { readonly leg?: unknown; readonly panel?: unknown };

export type Choosing = {
  readonly choice: Choice;
  readonly panel: Panel;
  readonly isSheetOpen: boolean;
  setIsSheetOpen(isOpen: boolean): void;
  choose(part: Partial<Choice>): void;
  open(part: Partial<Choice>): void;
  takePrice(cents: string): void;
  setPanel(panel: Panel): void;
};

export function useChoice(
  search: ChoiceSearch,
  set: (part: ChoiceSearch) => void,
  firstPanel: Panel = 'book',
): Choosing {
  const [isSheetOpen, setIsSheetOpen] = useState(false);
  const [ticket, setTicket] = useState<Omit<Choice, 'leg'>>({ intent: 'buy', cents: undefined });
  const leg: Leg = search.leg === 'no' ? 'No' : 'Yes';
  const choose = ({ leg: next, ...rest }: Partial<Choice>): void => {
    setTicket((before) => ({ ...before, ...rest }));
    if (next !== undefined && next !== leg) set({ leg: next === 'No' ? 'no' : undefined });
  };
  return {
    choice: { ...ticket, leg },
    panel: isPanel(search.panel) ? search.panel : firstPanel,
    isSheetOpen,
    setIsSheetOpen,
    choose,
    open: (part) => {
      choose({ cents: undefined, ...part });
      setIsSheetOpen(true);
    },
    takePrice: (price) =>
      choose({ cents: price, intent: ticket.intent === 'sell' ? 'sell' : 'buy' }),
    setPanel: (panel) => set({ panel: panel === firstPanel ? undefined : panel }),
  };
}

const PANELS = ['book', 'activity', 'holders', 'orders', 'rules'] as const;
type Panel = (typeof PANELS)[number];

function isPanel(value: unknown): value is Panel {
  return PANELS.includes(value as Panel);
}
