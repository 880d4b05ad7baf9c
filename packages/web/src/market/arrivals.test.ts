import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createReporter, withArrival, type Arrival } from './account-lists.ts';
import { createLive } from './live.ts';

type State = { readonly arrivals: readonly Arrival<string>[] };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function list() {
  let come: (...rows: string[]) => void = () => undefined;
  const lists = createLive<string, State>({
    key: (user) => user,
    initial: () => ({ arrivals: [] }),
    open: (_user, store) => {
      come = (...rows) =>
        store.setState({ arrivals: withArrival(store.getState().arrivals, rows) });
      return () => undefined;
    },
  });
  return { lists, come: (...rows: string[]) => come(...rows) };
}

describe('new rows of an account list are reported', () => {
  test('new rows are reported if they arrived shortly before the listener loaded', () => {
    const { come, lists } = list();
    lists.acquire('user');
    come('old');
    vi.advanceTimersByTime(10_000);
    come('a', 'b');
    come('c');
    vi.advanceTimersByTime(9_999);
    const reported: string[][] = [];
    createReporter(lists)('user', (rows) => reported.push([...rows]));
    expect(reported).toEqual([['a', 'b'], ['c']]);
    come('d');
    expect(reported.at(-1)).toEqual(['d']);
  });

  test('new rows are reported only once to a listener that is remounted, and again to a different listener', () => {
    const { come, lists } = list();
    const [aloud, outside] = [createReporter(lists), createReporter(lists)];
    const reported: string[] = [];
    const leave = aloud('user', (rows) => reported.push(...rows));
    come('a');
    leave();
    come('b');
    aloud('user', (rows) => reported.push(...rows));
    expect(reported).toEqual(['a', 'b']);
    outside('user', (rows) => reported.push(...rows.map((row) => `${row} outside`)));
    expect(reported).toEqual(['a', 'b', 'a outside', 'b outside']);
  });
});
