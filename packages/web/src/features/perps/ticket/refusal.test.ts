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
  ['the size, which is then in base', 'orders[0].s', PLAIN, { size: '7', sizeUnit: 'base' }],
  ['where it fires', 'orders[0].t.trigger.triggerPx', PLAIN, { triggerPrice: '7' }],
  ['the limit of a stop', 'orders[0].p', { ...STOP, limitPrice: '6' }, { limitPrice: '7' }],
  ['and where it fires, if it has none', 'orders[0].p', STOP, { triggerPrice: '7' }],
  ['the first exit', 'orders[1].t.trigger.triggerPx', EXITS, { takeProfit: '7' }],
  ['the second exit', 'orders[2].t.trigger.triggerPx', EXITS, { stopLoss: '7' }],
  [
    'a stop without a profit before it',
    'orders[1].t.trigger.triggerPx',
    { ...EXITS, takeProfit: '' },
    { stopLoss: '7' },
  ],
  [
    'nothing, where an exit was worked out',
    'orders[1].t.trigger.triggerPx',
    { ...EXITS, exitBasis: 'pnl' },
    undefined,
  ],
  ['nothing of a ladder', 'orders[3].p', PLAIN, undefined],
  ['nothing that the ticket has no field for', 'builder.f', PLAIN, undefined],
] as const)('a refused field mends %s', (_, field, draft, expected) => {
  expect(remedyOf({ kind: 'useValue', field, value: '7' }, draft)).toEqual(expected);
});
