import { expect, test } from 'vitest';
import type { TimeInForce } from '../messages/command.ts';
import { timeInForceCode, timeInForceOf } from './snapshot.ts';

test('a dump stores times in force as fixed codes', () => {
  const codes: Record<TimeInForce, number> = { gtc: 0, gtd: 1, alo: 2, ioc: 3, market: 4 };
  for (const each of Object.keys(codes) as TimeInForce[]) {
    expect(timeInForceCode(each)).toBe(codes[each]);
    expect(timeInForceOf(codes[each])).toBe(each);
  }
});
