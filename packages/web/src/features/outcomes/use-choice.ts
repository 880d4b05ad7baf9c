import { useState } from 'react';
import type { Leg } from '@oddlot/sdk';
import type { Choice } from './ticket/ticket.tsx';

export type ChoiceSearch = { readonly leg?: unknown; readonly panel?: unknown };

export type Choosing = {
  readonly choice: Choice;
  readonly panel: Panel;
  readonly isSheetOpen: boolean;
  setIsSheetOpen(isOpen: boolean): void;
  choose(part: Partial<Choice>): void;
  /** Chooses, and shows the ticket. */
  open(part: Partial<Choice>): void;
  /** A price of the book becomes that of an order. */
  takePrice(cents: string): void;
  setPanel(panel: Panel): void;
};

/** What the ticket is about. The leg and the panel are in the address, so that a link shows the same. */
export function useChoice(
  search: ChoiceSearch,
  set: (part: ChoiceSearch) => void,
  /** What is shown as long as nobody chooses. */
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
    takePrice: (cents) => choose({ cents, intent: ticket.intent === 'sell' ? 'sell' : 'buy' }),
    setPanel: (panel) => set({ panel: panel === firstPanel ? undefined : panel }),
  };
}

/** What can stand below the markets of an event. */
const PANELS = ['book', 'activity', 'holders', 'orders', 'rules'] as const;
type Panel = (typeof PANELS)[number];

function isPanel(value: unknown): value is Panel {
  return PANELS.includes(value as Panel);
}
