import { describe, expect, test } from 'vitest';
import { FrameRing } from './frame-ring.ts';

const LIMITS = { keptFramesMax: 100, keptMsMax: 1000, keptBytesMax: 1000 };

function fill(ring: FrameRing, count: number, { atMs = 0, bytes = 1 } = {}): void {
  for (let index = 0; index < count; index++) ring.push(Buffer.alloc(bytes), atMs);
}

describe('a ring of frames', () => {
  test('hands out what came after a number', () => {
    const ring = new FrameRing(LIMITS, { bytes: 0, bytesMax: Infinity });
    for (const text of ['one', 'two', 'three']) ring.push(Buffer.from(text), 0);
    expect(ring.firstSeq).toBe(1);
    expect(ring.after(1).map(String)).toEqual(['two', 'three']);
    expect(ring.after(3)).toEqual([]);
  });

  test('starts after nothing', () => {
    const ring = new FrameRing(LIMITS, { bytes: 0, bytesMax: Infinity });
    expect(ring.firstSeq).toBe(1);
    expect(ring.after(0)).toEqual([]);
  });

  test('drops the oldest beyond the count', () => {
    const ring = new FrameRing(LIMITS, { bytes: 0, bytesMax: Infinity });
    fill(ring, 5000);
    expect(ring.firstSeq).toBe(4901);
    expect(ring.after(4990)).toHaveLength(10);
    expect(ring.after(0)).toHaveLength(100);
  });

  test('drops what is too old, but not the newest', () => {
    const ring = new FrameRing(LIMITS, { bytes: 0, bytesMax: Infinity });
    fill(ring, 3, { atMs: 0 });
    fill(ring, 1, { atMs: 1000 });
    expect(ring.firstSeq).toBe(1);
    fill(ring, 1, { atMs: 1001 });
    expect(ring.firstSeq).toBe(4);
    fill(ring, 1, { atMs: 99_999 });
    expect(ring.firstSeq).toBe(6);
  });

  test('is emptied by a trim when nothing new comes', () => {
    const budget = { bytes: 0, bytesMax: Infinity };
    const ring = new FrameRing(LIMITS, budget);
    fill(ring, 2, { atMs: 0 });
    fill(ring, 1, { atMs: 500 });
    ring.trim(1001);
    expect(ring.firstSeq).toBe(3);
    ring.trim(2000);
    expect(ring.firstSeq).toBe(4);
    expect(ring.after(3)).toEqual([]);
    expect(budget.bytes).toBe(0);
    fill(ring, 1, { atMs: 2000 });
    expect(ring.firstSeq).toBe(4);
    expect(ring.after(3)).toHaveLength(1);
  });

  test('drops beyond its bytes, and beyond those of all rings together', () => {
    const budget = { bytes: 0, bytesMax: 1500 };
    const first = new FrameRing(LIMITS, budget);
    const second = new FrameRing(LIMITS, budget);
    fill(first, 20, { bytes: 100 });
    expect(first.firstSeq).toBe(11);
    fill(second, 8, { bytes: 100 });
    expect(second.firstSeq).toBe(4);
    expect(budget.bytes).toBe(1500);
    first.clear();
    second.clear();
    expect(budget.bytes).toBe(0);
  });
});
