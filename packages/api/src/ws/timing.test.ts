import { describe, expect, test } from 'vitest';
import { VirtualTiming } from '@oddlot/testing/venue/ws/test-edge';
import { FrameBudget, Pace } from './timing.ts';

describe('a pace limits how often work runs', () => {
  test('a pace runs immediately, then at most once per interval, and always once more after the last request', () => {
    const timing = new VirtualTiming();
    const runs: number[] = [];
    const pace = new Pace(timing, 100, () => runs.push(timing.now()) > 0);
    pace.ask();
    for (let step = 0; step < 25; step++) {
      timing.advance(10);
      pace.ask();
    }
    timing.advance(1000);
    expect(runs).toEqual([0, 100, 200, 300]);
  });

  test('a pace does not wait after a run that did no work', () => {
    const timing = new VirtualTiming();
    const runs: number[] = [];
    const pace = new Pace(timing, 100, () => runs.push(timing.now()) < 0);
    pace.ask();
    timing.advance(1);
    pace.ask();
    expect(runs).toEqual([0, 1]);
  });

  test('a pace does not run after it is stopped', () => {
    const timing = new VirtualTiming();
    let runs = 0;
    const pace = new Pace(timing, 100, () => ++runs > 0);
    pace.ask();
    pace.ask();
    pace.stop();
    timing.advance(1000);
    expect(runs).toBe(1);
  });
});

describe('the number of client frames is limited', () => {
  test('the frame limit allows a burst and refills every second', () => {
    const timing = new VirtualTiming();
    const budget = new FrameBudget(timing, { perSecond: 20, burst: 40 });
    const taken = (): number => {
      let count = 0;
      while (budget.take()) count++;
      return count;
    };
    expect(taken()).toBe(40);
    timing.advance(49);
    expect(taken()).toBe(0);
    timing.advance(1);
    expect(taken()).toBe(1);
    timing.advance(60_000);
    expect(taken()).toBe(40);
  });

  test('the frame limit can be disabled', () => {
    const budget = new FrameBudget(new VirtualTiming(), { perSecond: Infinity, burst: Infinity });
    for (let index = 0; index < 1000; index++) expect(budget.take()).toBe(true);
  });
});
