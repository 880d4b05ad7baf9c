import { describe, expect, test, vi } from 'vitest';
import { BodyBudget, type BodyHold } from './body-budget.ts';

const KIB = 1024;
const limits = {
  bodiesMax: 30,
  bodiesPerClientMax: 20,
  bytesMax: 200 * KIB,
  bytesPerClientMax: 100 * KIB,
};

class TestBudget {
  readonly budget = new BodyBudget(limits);
  readonly cut: string[] = [];

  enter(client: string, name = client): BodyHold | 'client' | 'all' {
    return this.budget.enter(client, () => this.cut.push(name));
  }

  hold(client: string, name = client): BodyHold {
    return this.enter(client, name) as BodyHold;
  }
}

test('a body holds its bytes until the response is sent, and its slot only while it is read', () => {
  const tested = new TestBudget();
  const first = tested.hold('a');
  expect(first.grow(90 * KIB)).toBeUndefined();
  first.read();
  expect(tested.budget.use).toEqual({ bodies: 0, bytes: 90 * KIB });
  const second = tested.hold('a');
  expect(second.grow(20 * KIB)).toBe('client');
  first.release();
  expect(second.grow(64 * KIB)).toBeUndefined();
  second.release();
  const third = tested.hold('a');
  third.grow(10);
  // A second release must not affect later requests.
  second.release();
  expect(tested.budget.use).toEqual({ bodies: 1, bytes: 10 });
  expect(tested.hold('a').grow(100 * KIB)).toBe('client');
  third.release();
});

describe('closing bodies when the budget is exhausted', () => {
  test('when the budget is exhausted, the oldest body of the client with the most bodies is closed', () => {
    const tested = new TestBudget();
    for (let at = 1; at <= 20; at++) tested.enter('a', `a${at}`);
    for (let at = 1; at <= 10; at++) tested.enter('b', `b${at}`);
    expect(tested.enter('a', 'a21')).toBe('client');
    tested.hold('c', 'c1');
    tested.hold('c', 'c2');
    expect(tested.cut).toEqual(['a1', 'a2']);
    // A third body would exceed an eighth of that client's bodies, and none of them is slow yet.
    expect(tested.enter('c', 'c3')).toBe('all');
    expect(tested.cut).toEqual(['a1', 'a2']);
    expect(tested.budget.use.bodies).toBe(30);
  });

  test('when the budget is exhausted and all clients have equally many bodies, the oldest slow body is closed', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const tested = new TestBudget();
      for (let at = 1; at <= 30; at++) {
        now.mockReturnValue(at);
        tested.enter(`client ${at}`);
      }
      expect(tested.enter('another')).toBe('all');
      now.mockReturnValue(2_002);
      tested.hold('another');
      expect(tested.cut).toEqual(['client 1']);
    } finally {
      now.mockRestore();
    }
  });

  test("when the byte budget is exhausted, the largest holder's oldest body that is not being processed is closed", () => {
    const tested = new TestBudget();
    const [inWork, sent, other] = [
      tested.hold('a', 'a1'),
      tested.hold('a', 'a2'),
      tested.hold('b'),
    ];
    inWork.grow(60 * KIB);
    inWork.read();
    sent.grow(40 * KIB);
    other.grow(95 * KIB);
    expect(tested.hold('c').grow(10 * KIB)).toBeUndefined();
    expect(tested.cut).toEqual(['a2']);
    expect(tested.budget.use.bytes).toBe(165 * KIB);
    // The requested number of bytes is not small compared with that of the other clients.
    expect(tested.hold('d').grow(40 * KIB)).toBe('all');
    expect(tested.cut).toEqual(['a2']);
  });
});
