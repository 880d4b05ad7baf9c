import { describe, expect, test } from 'vitest';
import { FrameRing } from './frame-ring.ts';

const LIMITS = { retainedFramesMax: 100, retentionMsMax: 1000 };

function budget(limits: { bytesMax?: number; plainBytesMax?: number } = {}) {
  return { bytes: 0, bytesMax: Infinity, plainBytes: 0, plainBytesMax: Infinity, ...limits };
}

/** Returns all frames after a number, as in a replay for a client that resumes. */
function after(ring: FrameRing, seq: number): Buffer[] {
  const frames: Buffer[] = [];
  for (;;) {
    const more = ring.from(seq + 1 + frames.length);
    if (more.length === 0) return frames;
    frames.push(...more);
  }
}

function fill(ring: FrameRing, count: number, { atMs = 0, bytes = 1 } = {}): void {
  for (let index = 0; index < count; index++) ring.push(Buffer.alloc(bytes), atMs);
}

describe('a ring keeps the newest frames of a stream', () => {
  test('a ring returns the frames after a given number', () => {
    const ring = new FrameRing(LIMITS, budget());
    for (const text of ['one', 'two', 'three']) ring.push(Buffer.from(text), 0);
    expect(ring.firstSeq).toBe(1);
    expect(after(ring, 1).map(String)).toEqual(['two', 'three']);
    expect(after(ring, 3)).toEqual([]);
  });

  test('a new ring is empty', () => {
    const ring = new FrameRing(LIMITS, budget());
    expect(ring.firstSeq).toBe(1);
    expect(after(ring, 0)).toEqual([]);
  });

  test('a ring drops the oldest frames beyond its maximum count', () => {
    const ring = new FrameRing(LIMITS, budget());
    fill(ring, 5000);
    expect(ring.firstSeq).toBe(4901);
    expect(after(ring, 4990)).toHaveLength(10);
    expect(after(ring, 4900)).toHaveLength(100);
  });

  test('a push drops frames beyond the maximum age, but not the new frame', () => {
    const ring = new FrameRing(LIMITS, budget());
    fill(ring, 3, { atMs: 0 });
    fill(ring, 1, { atMs: 1000 });
    expect(ring.firstSeq).toBe(1);
    fill(ring, 1, { atMs: 1001 });
    expect(ring.firstSeq).toBe(4);
    fill(ring, 1, { atMs: 99_999 });
    expect(ring.firstSeq).toBe(6);
  });

  test('a trim drops old frames even if no new frames are pushed', () => {
    const shared = budget();
    const ring = new FrameRing(LIMITS, shared);
    fill(ring, 2, { atMs: 0 });
    fill(ring, 1, { atMs: 500 });
    ring.trim(1001);
    expect(ring.firstSeq).toBe(3);
    ring.trim(2000);
    expect(ring.firstSeq).toBe(4);
    expect(after(ring, 3)).toEqual([]);
    expect(shared.bytes).toBe(0);
    fill(ring, 1, { atMs: 2000 });
    expect(ring.firstSeq).toBe(4);
    expect(after(ring, 3)).toHaveLength(1);
  });

  test('large frames are compressed and kept until their age or count limit is reached', () => {
    const shared = budget({ plainBytesMax: 100_000 });
    const ring = new FrameRing(LIMITS, shared);
    const bodies = Array.from({ length: 100 }, (_, index) => Buffer.alloc(50_000, `${index},`));
    for (const body of bodies) ring.push(body, 0);
    expect(ring.firstSeq).toBe(1);
    expect(after(ring, 0)).toEqual(bodies);
    expect(after(ring, 57)).toEqual(bodies.slice(57));
    // Most frames are compressed: five megabytes take up little more than the limit for plain
    // bytes.
    expect(shared.plainBytes).toBeLessThan(250_000);
    expect(shared.bytes).toBeLessThan(500_000);
    ring.clear();
    expect(shared).toMatchObject({ bytes: 0, plainBytes: 0 });
  });

  test('small frames are also compressed, and are dropped one by one', () => {
    const shared = budget({ plainBytesMax: 0 });
    const ring = new FrameRing({ retainedFramesMax: 1000, retentionMsMax: 1000 }, shared);
    for (let index = 1; index <= 3000; index++) ring.push(Buffer.from(`frame ${index}`), 0);
    expect(ring.firstSeq).toBe(2001);
    expect(after(ring, 2000).map(String)).toEqual(
      Array.from({ length: 1000 }, (_, index) => `frame ${2001 + index}`),
    );
    ring.trim(1001);
    expect(shared).toMatchObject({ bytes: 0, plainBytes: 0 });
    expect(ring.firstSeq).toBe(3001);
    ring.push(Buffer.from('next'), 1001);
    expect(after(ring, 3000).map(String)).toEqual(['next']);
  });

  test('when the budget is full, memory is requested first, and only then are frames dropped', () => {
    const asked: number[] = [];
    const shared = { ...budget({ bytesMax: 1500 }), relieve: () => void asked.push(shared.bytes) };
    const [first, second] = [new FrameRing(LIMITS, shared), new FrameRing(LIMITS, shared)];
    fill(first, 3, { bytes: 500 });
    expect(asked).toEqual([]);
    fill(second, 1, { bytes: 500 });
    expect(asked).toEqual([2000]);
    expect(second.firstSeq).toBe(1);
    first.clear();
    second.clear();
    expect(shared.bytes).toBe(0);
  });
});
