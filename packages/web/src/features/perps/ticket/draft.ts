import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** What stands in the ticket. Book and chart write into it too. */

export type OrderType = 'limit' | 'market' | 'stop' | 'takeProfit' | 'scale';
type ExitBasis = 'price' | 'percent' | 'pnl';
export type Lifetime = 'gtc' | 'ioc' | 'hour' | 'day' | 'week' | 'date';

export type Draft = {
  readonly type: OrderType;
  readonly side: 'buy' | 'sell';
  /** In hedge mode: a buy closes the short position, a sell the long one. */
  readonly isClosing: boolean;
  readonly price: string;
  readonly triggerPrice: string;
  readonly limitPrice: string;
  readonly lastPrice: string;
  readonly steps: string;
  readonly size: string;
  readonly sizeUnit: 'base' | 'quote';
  /** A percentage of the most, which the size follows until the order is sent; undefined where the size was typed. */
  readonly share: number | undefined;
  readonly isReduceOnly: boolean;
  readonly isPostOnly: boolean;
  readonly lifetime: Lifetime;
  /** The end of an order that rests until a date; milliseconds. */
  readonly untilMs: number | undefined;
  readonly hasExits: boolean;
  readonly exitBasis: ExitBasis;
  readonly takeProfit: string;
  readonly stopLoss: string;
};

const EMPTY: Draft = {
  type: 'limit',
  side: 'buy',
  isClosing: false,
  price: '',
  triggerPrice: '',
  limitPrice: '',
  lastPrice: '',
  steps: '5',
  size: '',
  sizeUnit: 'base',
  share: undefined,
  isReduceOnly: false,
  isPostOnly: false,
  lifetime: 'gtc',
  untilMs: undefined,
  hasExits: false,
  exitBasis: 'price',
  takeProfit: '',
  stopLoss: '',
};

export const draftStore = createStore<Draft>(() => EMPTY);

export function useDraft(): Draft {
  return useStore(draftStore);
}

export function changeDraft(change: Partial<Draft>): void {
  const isTyped = 'size' in change && !('share' in change);
  draftStore.setState(isTyped ? { ...change, share: undefined } : change);
}

export function chooseType(type: OrderType): void {
  changeDraft({ type, limitPrice: '' });
}

/** Prices and sizes go; the kind of order, the side and the unit stay as they were chosen. */
export function clearDraft(): void {
  draftStore.setState(NO_AMOUNTS);
}

const NO_AMOUNTS = {
  price: '',
  triggerPrice: '',
  limitPrice: '',
  lastPrice: '',
  size: '',
  share: undefined,
  takeProfit: '',
  stopLoss: '',
} as const satisfies Partial<Draft>;

/** Whether it waits for the mark. */
export function isTriggerType(type: OrderType): boolean {
  return type === 'stop' || type === 'takeProfit';
}

export function takePrice(price: string): void {
  const { type } = draftStore.getState();
  if (isTriggerType(type)) changeDraft({ triggerPrice: price });
  else changeDraft({ price, ...(type === 'market' ? { type: 'limit' } : {}) });
}

/** From a level of the book to the ticket: send what stands there, at that price. Each wish is heard once. */
type SendWishes = { readonly count: number; readonly take: () => boolean };

let heard = 0;

export const sendWishes = createStore<SendWishes>((_, get) => ({
  count: 0,
  take: () => {
    const isNew = get().count > heard;
    heard = get().count;
    return isNew;
  },
}));

export function wishToSend(): void {
  sendWishes.setState(({ count }) => ({ count: count + 1 }));
}

/** The id of the ticket's form. */
export const TICKET = 'ticket';

/** The first thing to type in the ticket: a price, or with a market order the size. */
export function focusTicket(): void {
  document.querySelector<HTMLInputElement>(`#${TICKET} input:not([type=checkbox])`)?.focus();
}
