import {
  bracketOrder,
  limitOrder,
  triggerOrder,
  type OrderEntry,
  type OrderParameters,
} from '@oddlot/sdk';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import {
  add,
  compare,
  divide,
  isDecimal,
  multiply,
  onStep,
  sign,
  subtract,
} from '../../../lib/decimal.ts';
import type { Grid } from '../use-account.ts';

export type OrderType = 'limit' | 'market' | 'stop' | 'takeProfit' | 'scale';
type ExitBasis = 'price' | 'percent' | 'pnl';
export type Lifetime = 'gtc' | 'ioc' | 'hour' | 'day' | 'week' | 'date';

export type Draft = {
  readonly type: OrderType;
  readonly side: 'buy' | 'sell';
  readonly isClosing: boolean;
  readonly price: string;
  readonly triggerPrice: string;
  readonly limitPrice: string;
  readonly lastPrice: string;
  readonly steps: string;
  readonly size: string;
  readonly sizeUnit: 'base' | 'quote';
  readonly share: number | undefined;
  readonly isReduceOnly: boolean;
  readonly isPostOnly: boolean;
  readonly lifetime: Lifetime;
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

export function isTriggerType(type: OrderType): boolean {
  return type === 'stop' || type === 'takeProfit';
}

export function takePrice(price: string): void {
  const { type } = draftStore.getState();
  if (isTriggerType(type)) changeDraft({ triggerPrice: price });
  else changeDraft({ price, ...(type === 'market' ? { type: 'limit' } : {}) });
}

type SendWishes = { readonly count: number; readonly take: () => boolean };

let handled = 0;

export const sendWishes = createStore<SendWishes>((_, get) => ({
  count: 0,
  take: () => {
    const isNew = get().count > handled;
    handled = get().count;
    return isNew;
  },
}));

export function wishToSend(): void {
  sendWishes.setState(({ count }) => ({ count: count + 1 }));
}

export const TICKET = 'ticket';

export function focusTicket(): void {
  document.querySelector<HTMLInputElement>(`#${TICKET} input:not([type=checkbox])`)?.focus();
}

export type DraftContext = {
  readonly asset: number;
  readonly grid: Grid;
  readonly hasMark: boolean;
  readonly markPx: string | undefined;
  readonly bound?: string | undefined;
  readonly nowMs: number;
  readonly isHedge: boolean;
};

type Missing =
  | 'price'
  | 'triggerPrice'
  | 'lastPrice'
  | 'steps'
  | 'size'
  | 'mark'
  | 'exits'
  | 'date';

export type Drafted =
  | Readonly<{ missing: undefined; parameters: OrderParameters; size: string; price: string }>
  | { readonly missing: Missing };

const SLIPPAGE_MAX = '0.03';
const STEPS_MAX = 20;
const HOUR_MS = 3_600_000;
const LIFETIMES_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS } as const;

/**
 * Returns the orders of a draft. Values are not checked against the grid here, because the venue
 * rejects those that are off it.
 */
export function ordersOf(draft: Draft, around: DraftContext): Drafted {
  if (!around.hasMark) return { missing: 'mark' };
  const price = countedPrice(draft, around);
  if (typeof price !== 'string') return price;
  const size = sizeInBase(draft, price, around.grid);
  if (size === undefined || sign(size) <= 0) return { missing: 'size' };
  if (hasLife(draft) && draft.lifetime === 'date' && draft.untilMs === undefined) {
    return { missing: 'date' };
  }
  if (draft.type === 'scale') return ladder(draft, { price, size }, around);
  const parent = singleOrder(draft, { price, size }, around);
  const counted = { missing: undefined, size, price } as const;
  if (!draft.hasExits || isReducing(draft, around)) {
    return { ...counted, parameters: { orders: [parent] } };
  }
  const [takeProfit, stopLoss] = (['takeProfit', 'stopLoss'] as const).map((exit) =>
    exitPrice(draft, exit, { price, size, tick: around.grid.tick }),
  );
  if (takeProfit === undefined && stopLoss === undefined) return { missing: 'exits' };
  const parameters = bracketOrder({
    parent,
    ...(takeProfit === undefined ? {} : { takeProfit: { triggerPrice: takeProfit } }),
    ...(stopLoss === undefined ? {} : { stopLoss: { triggerPrice: stopLoss } }),
  });
  return { ...counted, parameters };
}

/** Converts the size to the base currency, rounded down to a whole lot. */
export function sizeInBase(draft: Draft, price: string, { lot }: Grid): string | undefined {
  if (!isDecimal(draft.size)) return undefined;
  if (draft.sizeUnit === 'base') return draft.size;
  const size = divide(draft.size, price);
  return size === undefined ? undefined : onStep(size, lot, 'down');
}

type Exit = 'takeProfit' | 'stopLoss';

export function exitPrice(
  draft: Pick<Draft, Exit | 'exitBasis' | 'side'>,
  exit: Exit,
  entry: { readonly price: string; readonly size: string; readonly tick: string },
): string | undefined {
  const typed = draft[exit];
  if (!isPositive(typed)) return undefined;
  if (draft.exitBasis === 'price') return typed;
  const distance =
    draft.exitBasis === 'percent'
      ? multiply(entry.price, multiply(typed, '0.01'))
      : divide(typed, entry.size);
  if (distance === undefined) return undefined;
  const isAbove = (draft.side === 'buy') === (exit === 'takeProfit');
  const price = isAbove ? add(entry.price, distance) : subtract(entry.price, distance);
  const onTick = onStep(price, entry.tick);
  return sign(onTick) > 0 ? onTick : undefined;
}

export function marketPrice(side: 'buy' | 'sell', markPx: string, tick: string): string {
  const distance = multiply(markPx, SLIPPAGE_MAX);
  const bound = side === 'buy' ? add(markPx, distance) : subtract(markPx, distance);
  return onStep(bound, tick, 'down');
}

function countedPrice(
  { limitPrice, price, triggerPrice, type }: Draft,
  { markPx }: DraftContext,
): string | { readonly missing: Missing } {
  if (type === 'market') return markPx ?? { missing: 'mark' };
  if (type === 'limit' || type === 'scale') return isPositive(price) ? price : { missing: 'price' };
  if (!isPositive(triggerPrice)) return { missing: 'triggerPrice' };
  // An incomplete limit price must not turn the order into a market order.
  if (limitPrice !== '' && !isPositive(limitPrice)) return { missing: 'price' };
  return limitPrice === '' ? triggerPrice : limitPrice;
}

type Counted = { readonly price: string; readonly size: string };

function singleOrder(draft: Draft, { price, size }: Counted, around: DraftContext): OrderEntry {
  const { asset, grid } = around;
  const { side, type } = draft;
  const reduceOnly = isReducing(draft, around);
  if (type === 'stop' || type === 'takeProfit') {
    return triggerOrder({
      asset,
      side,
      size,
      kind: type === 'stop' ? 'sl' : 'tp',
      triggerPrice: draft.triggerPrice,
      reduceOnly,
      ...(draft.limitPrice === '' ? {} : { limitPrice: draft.limitPrice }),
    });
  }
  if (type === 'market') {
    const bound = around.bound ?? marketPrice(side, price, grid.tick);
    return limitOrder({ asset, side, size, price: bound, reduceOnly, tif: 'FrontendMarket' });
  }
  return limitOrder({ asset, side, size, price, reduceOnly, ...lifeOf(draft, around.nowMs) });
}

function ladder(draft: Draft, { price, size }: Counted, around: DraftContext): Drafted {
  const { asset, grid, nowMs } = around;
  if (!isPositive(draft.lastPrice)) return { missing: 'lastPrice' };
  const steps = Number(draft.steps);
  if (!Number.isInteger(steps) || steps < 2 || steps > STEPS_MAX) return { missing: 'steps' };
  const part = onStep(divide(size, String(steps)) ?? '0', grid.lot, 'down');
  if (sign(part) <= 0) return { missing: 'size' };
  const span = subtract(draft.lastPrice, price);
  const orders = Array.from({ length: steps }, (_, at) => {
    const distance = divide(multiply(span, String(at)), String(steps - 1)) ?? '0';
    return limitOrder({
      asset,
      side: draft.side,
      size: part,
      price: onStep(add(price, distance), grid.tick),
      reduceOnly: isReducing(draft, around),
      ...lifeOf(draft, nowMs),
    });
  });
  return {
    missing: undefined,
    parameters: { orders },
    size: multiply(part, String(steps)),
    price: divide(add(price, draft.lastPrice), '2') ?? price,
  };
}

type Life = { readonly tif?: 'Alo' | 'Ioc' } | { readonly tif: 'Gtd'; readonly expireTime: number };

export function hasLife({ isPostOnly, type }: Draft): boolean {
  return (type === 'limit' || type === 'scale') && !isPostOnly;
}

function lifeOf({ isPostOnly, lifetime, untilMs }: Draft, nowMs: number): Life {
  if (isPostOnly) return { tif: 'Alo' };
  if (lifetime === 'gtc') return {};
  if (lifetime === 'ioc') return { tif: 'Ioc' };
  if (lifetime === 'date') return { tif: 'Gtd', expireTime: untilMs ?? nowMs };
  return { tif: 'Gtd', expireTime: nowMs + LIFETIMES_MS[lifetime] };
}

export function isReducing(draft: Draft, { isHedge }: Pick<DraftContext, 'isHedge'>): boolean {
  return isHedge ? draft.isClosing : draft.isReduceOnly;
}

export function isPositive(text: string): boolean {
  return isDecimal(text) && compare(text, '0') > 0;
}
