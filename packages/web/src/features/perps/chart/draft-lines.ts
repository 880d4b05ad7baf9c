import { add, compare, isDecimal, multiply, onStep, subtract } from '../../../lib/decimal.ts';
import type { Words } from '../../../lib/words.ts';
import { changeDraft, type Draft } from '../ticket/draft.ts';
import type { ChartLine } from './chart-lines.ts';

/** What stands in the ticket, as lines: dragging them fills it in, and sends nothing. */
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
    tone: 'muted',
    style: 'dashed',
    set: (next) => changeDraft({ [field]: next }),
  };
}

/** How far the exits of a bracket begin from its price. */
const DISTANCE = '0.01';

/** A bracket to be dragged into shape: at the mark, with an exit on either side. */
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
