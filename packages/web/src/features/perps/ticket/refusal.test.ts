import { expect, test } from 'vitest';
import { remedyOf } from './ticket.tsx';

const PLAIN = {
  type: 'limit',
  exitBasis: 'price',
  hasExits: false,
  limitPrice: '',
  takeProfit: '',
} as const;
const EXITS = { ...PLAIN, hasExits: true, takeProfit: '110' } as const;
const STOP = { ...PLAIN, type: 'stop' } as const;

test.each([
  ['the price', 'orders[0].p', PLAIN, { price: '7' }],
  ['the size, then in base units', 'orders[0].s', PLAIN, { size: '7', sizeUnit: 'base' }],
  ['the trigger price', 'orders[0].t.trigger.triggerPx', PLAIN, { triggerPrice: '7' }],
  ['the limit of a stop', 'orders[0].p', { ...STOP, limitPrice: '6' }, { limitPrice: '7' }],
  ['the trigger price of a stop without a limit', 'orders[0].p', STOP, { triggerPrice: '7' }],
  ['the first exit', 'orders[1].t.trigger.triggerPx', EXITS, { takeProfit: '7' }],
  ['the second exit', 'orders[2].t.trigger.triggerPx', EXITS, { stopLoss: '7' }],
  [
    'a stop-loss without a take-profit',
    'orders[1].t.trigger.triggerPx',
    { ...EXITS, takeProfit: '' },
    { stopLoss: '7' },
  ],
  [
    'no field for a derived exit',
    'orders[1].t.trigger.triggerPx',
    { ...EXITS, exitBasis: 'pnl' },
    undefined,
  ],
  ['no field of a scale order', 'orders[3].p', PLAIN, undefined],
  ['no field for a value outside the ticket', 'builder.f', PLAIN, undefined],
] as const)(
  'a rejected field selects the ticket field to correct: %s',
  (_, field, draft, expected) => {
    expect(remedyOf({ kind: 'useValue', field, value: '7' }, draft)).toEqual(expected);
  },
);
