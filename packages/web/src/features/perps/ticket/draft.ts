import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** What stands in the ticket. Book and chart write into it too. */

export type OrderType = 'limit' | 'market' | 'stop' | 'takeProfit' | 'scale';
export type ExitBasis = 'price' | 'percent' | 'pnl';
export type Lifetime = 'gtc' | 'ioc' | 'hour' | 'day' | 'week' | 'date';

export type Draft = {
  readonly type: OrderType;
  readonly side: 'buy' | 'sell';
  /** In hedge mode: a buy closes the short position, a sell the long one. */
  readonly isClosing: boolean;
  readonly price: string;
  readonly triggerPrice: string;
  /** The other end of a ladder. */
  readonly lastPrice: string;
  /** How many orders a ladder has. */
  readonly steps: string;
  readonly size: string;
  readonly sizeUnit: 'base' | 'quote';
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
  lastPrice: '',
  steps: '5',
  size: '',
  sizeUnit: 'base',
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
  draftStore.setState(change);
}

/** Prices and sizes go; the kind of order, the side and the unit stay as they were chosen. */
export function clearDraft(): void {
  draftStore.setState(NO_AMOUNTS);
}

const NO_AMOUNTS = {
  price: '',
  triggerPrice: '',
  lastPrice: '',
  size: '',
  takeProfit: '',
  stopLoss: '',
} as const satisfies Partial<Draft>;

/** What a click on a price in the book or on the chart does. */
export function takePrice(price: string): void {
  const { type } = draftStore.getState();
  if (type === 'stop' || type === 'takeProfit') changeDraft({ triggerPrice: price });
  else changeDraft({ price, ...(type === 'market' ? { type: 'limit' } : {}) });
}
