import type { ActionReply, AssetPosition, Client, OpenOrder, TriggerOrder } from '@oddlot/sdk';
import { add, compare, isDecimal, multiply, onStep, sign, subtract } from '../../../lib/decimal.ts';
import { money, number } from '../../../lib/format.ts';
import type { Words } from '../../../lib/words.ts';
import {
  exitsAmong,
  isExitPastMark,
  isPastMark,
  isReplaceable,
  kindOfWaiting,
  replaceExits,
  replaceTrigger,
} from '../tables/waiting-exits.ts';
import { isLong } from '../use-account.ts';
import { changeDraft, type Draft } from '../ticket/draft.ts';

export type ChartLine = {
  readonly id: string;
  readonly price: string;
  readonly label: string;
  /** A shorter text for the label, used where the full text would cover candles. */
  readonly short: string;
  readonly tone: 'buy' | 'sell' | 'accent' | 'warning' | 'muted';
  readonly style: 'dashed' | 'dotted' | 'solid';
  readonly name?: string | undefined;
  readonly labelAt?: ((price: string) => string) | undefined;
  readonly move?:
    | ((trader: Client, price: string, size: string | undefined) => Promise<ActionReply>)
    | undefined;
  readonly size?: { readonly whole: string; readonly lot: string } | undefined;
  readonly set?: ((price: string) => void) | undefined;
  readonly warn?: ((price: string) => 'firesNow' | 'tradesNow' | undefined) | undefined;
};

type Own = {
  readonly positions: readonly AssetPosition[];
  readonly orders: readonly OpenOrder[];
  readonly triggers: readonly TriggerOrder[];
  readonly markOf: () => string;
  readonly bestAgainst: (isBuy: boolean) => string | undefined;
  readonly sizeDecimals: number;
  readonly lot: string;
};

export function chartLines(own: Own, t: Words): readonly ChartLine[] {
  const { markOf, orders, positions, sizeDecimals, triggers } = own;
  return [
    ...positions.flatMap((row) => positionLines(row, own, t)),
    ...orders.map((order) => orderLine(order, own, t)),
    ...triggers.map((trigger) => {
      const isExit = positions.some((row) => exitsAmong(row, [trigger]).length > 0);
      return triggerLine(trigger, { markOf, isExit, sizeDecimals }, t);
    }),
  ];
}

function positionLines(row: AssetPosition, own: Own, t: Words): readonly ChartLine[] {
  const { entryPx, liquidationPx, szi, unrealizedPnl } = row.position;
  const leg = isLong(row) ? 'long' : 'short';
  const size = number(szi.replace('-', ''), { decimals: own.sizeDecimals });
  const lines: ChartLine[] = [
    {
      id: `entry ${leg}`,
      price: entryPx,
      label: `${t(`perps.${leg}`)} ${size} · ${money(unrealizedPnl, { isSigned: true })}`,
      short: t(`perps.${leg}`),
      tone: 'accent',
      style: 'dashed',
      ...exitsFrom(row, own, t),
    },
  ];
  if (isDecimal(liquidationPx) && sign(liquidationPx) > 0) {
    lines.push({
      id: `liquidation ${leg}`,
      price: liquidationPx,
      label: t('perps.line.liquidation'),
      short: t('perps.tape.liquidationShort'),
      tone: 'warning',
      style: 'dotted',
    });
  }
  return [...lines, ...row.tpsl.flatMap((pair) => exitLines(row, pair, own, t))];
}

function exitsFrom(
  row: AssetPosition,
  { markOf }: Own,
  t: Words,
): Pick<ChartLine, 'name' | 'labelAt' | 'move'> {
  const kindAt = (price: string): 'takeProfit' | 'stopLoss' =>
    isLong(row) === compare(price, markOf()) > 0 ? 'takeProfit' : 'stopLoss';
  const [pair] = row.tpsl;
  const standing = {
    takeProfit: isDecimal(pair?.tpTriggerPrice) ? pair?.tpTriggerPrice : undefined,
    stopLoss: isDecimal(pair?.slTriggerPrice) ? pair?.slTriggerPrice : undefined,
  };
  return {
    name: t(isLong(row) ? 'perps.line.exitsOfLong' : 'perps.line.exitsOfShort'),
    labelAt: (price) => t(`perps.line.${kindAt(price)}`),
    move: (trader, price) =>
      replaceExits(
        trader,
        row,
        { ...standing, [kindAt(price)]: price },
        pair === undefined ? [] : [pair],
      ),
  };
}

function exitLines(
  row: AssetPosition,
  pair: AssetPosition['tpsl'][number],
  { markOf }: Own,
  t: Words,
): readonly ChartLine[] {
  const [takeProfit, stopLoss] = [pair.tpTriggerPrice, pair.slTriggerPrice].map((price) =>
    isDecimal(price) ? price : undefined,
  );
  const exitLine = (kind: 'takeProfit' | 'stopLoss', oid: string, price: string): ChartLine => ({
    id: `${kind} ${oid}`,
    price,
    label: t(`perps.line.${kind}`),
    short: t(`perps.ticket.${kind}`),
    tone: kind === 'takeProfit' ? 'buy' : 'sell',
    style: 'dotted',
    move: (trader, next) =>
      replaceExits(trader, row, { takeProfit, stopLoss, [kind]: next }, [pair]),
    warn: (next) => (isExitPastMark(row, kind, next, markOf()) ? 'firesNow' : undefined),
  });
  return [
    ...(takeProfit === undefined ? [] : [exitLine('takeProfit', pair.tpOid, takeProfit)]),
    ...(stopLoss === undefined ? [] : [exitLine('stopLoss', pair.slOid, stopLoss)]),
  ];
}

function orderLine(
  { instrumentId, limitPx, oid, origSz, side, sz }: OpenOrder,
  { bestAgainst, lot, sizeDecimals }: Own,
  t: Words,
): ChartLine {
  const isBuy = side === 'B';
  return {
    id: `order ${oid}`,
    price: limitPx,
    label: t(isBuy ? 'perps.line.buy' : 'perps.line.sell', {
      size: number(sz, { decimals: sizeDecimals }),
    }),
    short: t(isBuy ? 'perps.buy' : 'perps.sell'),
    tone: isBuy ? 'buy' : 'sell',
    style: 'solid',
    size: { whole: origSz, lot },
    move: (trader, price, size) =>
      trader.exchange.modify2(
        { a: instrumentId, o: oid, p: price, s: size ?? origSz },
        { confirm: 'executed' },
      ),
    warn: (price) => {
      const best = bestAgainst(isBuy);
      if (best === undefined) return undefined;
      const isAcross = isBuy ? compare(price, best) >= 0 : compare(price, best) <= 0;
      return isAcross ? 'tradesNow' : undefined;
    },
  };
}

function triggerLine(
  trigger: TriggerOrder,
  {
    isExit,
    markOf,
    sizeDecimals,
  }: Pick<Own, 'markOf' | 'sizeDecimals'> & { readonly isExit: boolean },
  t: Words,
): ChartLine {
  const { limitPx, oid, orderType, side, sz, triggerPx } = trigger;
  const isBuy = side === 'B';
  const limitPrice = orderType === 'Market' ? undefined : limitPx;
  const isProfit = kindOfWaiting(trigger, markOf()) === 'tp';
  const size = number(sz, { decimals: sizeDecimals });
  return {
    id: `trigger ${oid}`,
    price: triggerPx,
    label: isExit
      ? t(isProfit ? 'perps.line.takeProfit' : 'perps.line.stopLoss')
      : t(isBuy ? 'perps.line.triggerBuy' : 'perps.line.triggerSell', { size }),
    short: isExit
      ? t(isProfit ? 'perps.ticket.takeProfit' : 'perps.ticket.stopLoss')
      : t(isBuy ? 'perps.buy' : 'perps.sell'),
    tone: isBuy ? 'buy' : 'sell',
    style: 'dotted',
    move: isReplaceable(trigger)
      ? (trader, triggerPrice) =>
          replaceTrigger(trader, trigger, { triggerPrice, limitPrice }, markOf())
      : undefined,
    warn: (price) => (isPastMark(trigger, price, markOf()) ? 'firesNow' : undefined),
  };
}

export function draftLines(draft: Draft, t: Words): readonly ChartLine[] {
  const { exitBasis, hasExits, price, side, stopLoss, takeProfit, type } = draft;
  if (type !== 'limit' || !isPositive(price)) return [];
  const exits = hasExits && exitBasis === 'price';
  return [
    line('price', price, side, t),
    ...(exits && isPositive(takeProfit) ? [line('takeProfit', takeProfit, side, t)] : []),
    ...(exits && isPositive(stopLoss) ? [line('stopLoss', stopLoss, side, t)] : []),
  ];
}

type Field = 'price' | 'takeProfit' | 'stopLoss';

function line(field: Field, price: string, side: 'buy' | 'sell', t: Words): ChartLine {
  const label = t(`perps.line.draft.${field === 'price' ? side : field}`);
  return {
    id: `draft ${field}`,
    price,
    label,
    short: t('perps.line.draft.short'),
    tone: 'muted',
    style: 'dashed',
    set: (next) => changeDraft({ [field]: next }),
  };
}

const DISTANCE = '0.01';

export function bracketAt(markPx: string, tick: string, side: 'buy' | 'sell'): Partial<Draft> {
  const room = multiply(markPx, DISTANCE);
  const [above, below] = [onStep(add(markPx, room), tick), onStep(subtract(markPx, room), tick)];
  const isBuy = side === 'buy';
  return {
    type: 'limit',
    price: onStep(markPx, tick),
    hasExits: true,
    exitBasis: 'price',
    takeProfit: isBuy ? above : below,
    stopLoss: isBuy ? below : above,
  };
}

function isPositive(text: string): boolean {
  return isDecimal(text) && compare(text, '0') > 0;
}
