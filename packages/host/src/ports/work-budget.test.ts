import { describe, expect, test } from 'vitest';
import { measured, WorkBudget } from './work-budget.ts';

function budget(limits = { msPerSecond: 100, msBurst: 500 }) {
  const clock = { nowMs: 1_000 };
  return { clock, work: new WorkBudget(limits, () => clock.nowMs) };
}

describe('the work of each client is limited', () => {
  test('a client can go into debt, and must then wait until the debt is paid', () => {
    const { clock, work } = budget();
    work.spend('a', 499);
    expect(work.waitSeconds('a')).toBe(0);
    work.spend('a', 301);
    expect(work.waitSeconds('a')).toBe(3);
    expect(work.waitSeconds('b')).toBe(0);
    clock.nowMs += 2_999;
    expect(work.waitSeconds('a')).toBe(1);
    clock.nowMs += 2;
    expect(work.waitSeconds('a')).toBe(0);
  });

  test('a work budget provides a fixed amount per second, no matter how it is used', () => {
    const { clock, work } = budget();
    let done = 0;
    for (let step = 0; step < 10_000; step++) {
      if (work.waitSeconds('a') === 0) {
        work.spend('a', 20);
        done += 20;
      }
      clock.nowMs += 1;
    }
    expect(done).toBeGreaterThanOrEqual(1_400);
    expect(done).toBeLessThanOrEqual(1_540);
  });

  test('a work budget identifies an IPv6 client by its network', () => {
    const { work } = budget();
    work.spend('2001:db8::1', 600);
    expect(work.waitSeconds('2001:db8::2')).toBe(1);
  });

  test('clients with a full work budget are dropped, and clients with a debt never are', () => {
    const { clock, work } = budget();
    work.spend('debtor', 100_000);
    for (let client = 0; client < 1_000; client++) work.spend(`c${client}`, 1);
    for (let turn = 0; turn < 3; turn++) {
      clock.nowMs += 5_000;
      work.spend('other', 1);
    }
    expect(work.size).toBeLessThan(5);
    expect(work.waitSeconds('debtor')).toBeGreaterThan(900);
  });

  test('a work budget can be disabled', () => {
    const { work } = budget({ msPerSecond: Infinity, msBurst: 500 });
    work.spend('a', 1e9);
    expect(work.waitSeconds('a')).toBe(0);
  });

  test('work is charged to the budget even if it fails', () => {
    const spent: number[] = [];
    const spin = (): number => {
      let sum = 0;
      for (let index = 0; index < 20_000_000; index++) sum += index;
      return sum;
    };
    expect(measured(spin, (ms) => spent.push(ms))).toBeGreaterThan(0);
    expect(() =>
      measured(
        () => JSON.parse('{'),
        (ms) => spent.push(ms),
      ),
    ).toThrow(SyntaxError);
    expect(spent).toHaveLength(2);
    expect(spent[0]).toBeGreaterThan(0);
  });
});
