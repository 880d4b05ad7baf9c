import { expect, test } from 'vitest';
import { ClientTurns } from './client-turns.ts';

/** Serves all waiting items at a given cost in tokens per item. */
function served(turns: ClientTurns<string>, tokens: number, nowMs: number): string[] {
  const items: string[] = [];
  for (let next = turns.next(); next !== undefined; next = turns.next()) {
    turns.begin(next.id, 0, nowMs);
    items.push(next.item);
    turns.end(next.id, tokens, nowMs);
  }
  return items;
}

test('R-requests: clients take turns, and the items of one client keep their order', () => {
  const turns = new ClientTurns<string>({ perSecond: 1, burst: 100 });
  for (const item of ['a1', 'a2', 'a3']) turns.add('a', item, 0);
  turns.add('b', 'b1', 0);
  turns.add('c', 'c1', 0);
  turns.add('b', 'b2', 0);
  expect(served(turns, 1, 0)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test("a client's further items wait while one of them is being served", () => {
  const turns = new ClientTurns<string>({ perSecond: 1, burst: 100 });
  turns.add('a', 'a1', 0);
  const first = turns.next();
  turns.begin('a', 0, 0);
  turns.add('a', 'a2', 0);
  expect([first?.item, turns.next(), turns.hasNext]).toEqual(['a1', undefined, false]);
  turns.end('a', 1, 0);
  expect(turns.next()?.item).toBe('a2');
});

test('a client without tokens is served once it has earned one, or earlier on explicit request', () => {
  const turns = new ClientTurns<string>({ perSecond: 10, burst: 5 });
  for (const item of ['a1', 'a2', 'a3']) turns.add('a', item, 0);
  turns.add('b', 'b1', 0);
  expect(turns.next()).toEqual({ id: 'a', item: 'a1' });
  turns.begin('a', 0, 0);
  turns.end('a', 6, 0);
  expect(served(turns, 0, 0)).toEqual(['b1']);
  expect([turns.hasNext, turns.hasResting]).toEqual([false, true]);
  const resting = turns.nextResting();
  turns.begin('a', 0, 0);
  turns.end('a', 0, 0);
  expect(resting?.item).toBe('a2');
  turns.wake(199);
  expect(turns.hasNext).toBe(false);
  // By now, the client has paid off a debt of one token and earned another token.
  turns.wake(200);
  expect(served(turns, 0, 200)).toEqual(['a3']);
});

test('an idle client is dropped once its bucket is full again', () => {
  const turns = new ClientTurns<string>({ perSecond: 10, burst: 20 });
  for (let at = 0; at < 100; at++) turns.add(`${at}`, 'x', 5_000);
  expect(turns.size).toBe(100);
  served(turns, 1, 5_000);
  turns.add('new', 'x', 9_000);
  expect(turns.size).toBe(1);
});
