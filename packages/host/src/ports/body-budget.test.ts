import { describe, expect, test, vi } from 'vitest';
import { BodyBudget, type BodyHold } from './body-budget.ts';

const KIB = 1024;
const limits = {
  bodiesMax: 30,
  bodiesPerClientMax: 20,
  bytesMax: 200 * KIB,
  bytesPerClientMax: 100 * KIB,
};

class Room {
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
  const room = new Room();
  const first = room.hold('a');
  expect(first.grow(90 * KIB)).toBeUndefined();
  first.read();
  expect(room.budget.use).toEqual({ bodies: 0, bytes: 90 * KIB });
  const second = room.hold('a');
  expect(second.grow(20 * KIB)).toBe('client');
  first.release();
  expect(second.grow(64 * KIB)).toBeUndefined();
  second.release();
  const third = room.hold('a');
  third.grow(10);
  // A second release must have no effect on later requests.
  second.release();
  expect(room.budget.use).toEqual({ bodies: 1, bytes: 10 });
  expect(room.hold('a').grow(100 * KIB)).toBe('client');
  third.release();
});

describe('an exhausted budget for bodies', () => {
  test('an exhausted budget closes the oldest body of the client with the most bodies', () => {
    const room = new Room();
    for (let at = 1; at <= 20; at++) room.enter('a', `a${at}`);
    for (let at = 1; at <= 10; at++) room.enter('b', `b${at}`);
    expect(room.enter('a', 'a21')).toBe('client');
    room.hold('c', 'c1');
    room.hold('c', 'c2');
    expect(room.cut).toEqual(['a1', 'a2']);
    // A third body would exceed an eighth of that client's number of bodies, and none of them is
    // slow yet.
    expect(room.enter('c', 'c3')).toBe('all');
    expect(room.cut).toEqual(['a1', 'a2']);
    expect(room.budget.use.bodies).toBe(30);
  });

  test('an exhausted budget closes the oldest slow body if all clients have the same number', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const room = new Room();
      for (let at = 1; at <= 30; at++) {
        now.mockReturnValue(at);
        room.enter(`client ${at}`);
      }
      expect(room.enter('another')).toBe('all');
      now.mockReturnValue(2_002);
      room.hold('another');
      expect(room.cut).toEqual(['client 1']);
    } finally {
      now.mockRestore();
    }
  });

  test("an exhausted byte budget closes the largest holder's oldest body that is not being processed", () => {
    const room = new Room();
    const [inWork, sent, other] = [room.hold('a', 'a1'), room.hold('a', 'a2'), room.hold('b')];
    inWork.grow(60 * KIB);
    inWork.read();
    sent.grow(40 * KIB);
    other.grow(95 * KIB);
    expect(room.hold('c').grow(10 * KIB)).toBeUndefined();
    expect(room.cut).toEqual(['a2']);
    expect(room.budget.use.bytes).toBe(165 * KIB);
    // The requested number of bytes is not small compared with that of the other clients.
    expect(room.hold('d').grow(40 * KIB)).toBe('all');
    expect(room.cut).toEqual(['a2']);
  });
});
