import { describe, expect, test } from 'vitest';
import { placeTags } from './place-tags.ts';

function placed(ys: readonly number[], clearPx = 0) {
  const lines = ys.map((y, at) => ({ id: String(at), y }));
  const { above, below, places } = placeTags(lines, { height: 400, clearPx });
  return { above, below, tags: ys.map((_, at) => places.get(String(at))!) };
}

describe('labels of chart lines do not overlap', () => {
  test('labels are placed at their lines if none of them overlap', () => {
    expect(placed([100, 200]).tags.map(({ tagY }) => tagY)).toEqual([100, 200]);
  });

  test('labels that overlap move apart in price order', () => {
    expect(placed([100, 105, 103]).tags.map(({ tagY }) => tagY)).toEqual([81, 125, 103]);
  });

  test('labels at the same price surround it, with the ticket next to its resting order', () => {
    expect(placed([200, 200]).tags.map(({ tagY }) => tagY)).toEqual([189, 211]);
    // A label that does not overlap does not move.
    expect(placed([200, 200, 300]).tags.map(({ tagY }) => tagY)).toEqual([189, 211, 300]);
  });

  test('labels that are pushed into another label push that label too', () => {
    expect(placed([170, 200, 200]).tags.map(({ tagY }) => tagY)).toEqual([168, 190, 212]);
  });

  test('labels at the lower edge move up', () => {
    expect(placed([398, 399, 400]).tags.map(({ tagY }) => tagY)).toEqual([356, 378, 400]);
  });

  test('the labels of the three nearest lines outside the visible range are placed at the edge, and the rest are only counted', () => {
    const { above, below, tags } = placed([-10, -20, -30, -40, 500]);
    expect([above, below]).toEqual([1, 0]);
    expect(tags.map(({ edge }) => edge)).toEqual(['above', 'above', 'above', 'above', 'below']);
    expect(tags.map(({ isCounted }) => isCounted)).toEqual([false, false, false, true, false]);
    // The nearest price is the one closest to the visible range.
    expect(tags.slice(0, 3).map(({ tagY }) => tagY)).toEqual([55, 33, 11]);
    expect(tags[4]!.tagY).toBe(389);
  });

  test('labels of visible lines move away from labels at the edge', () => {
    const [, inSight] = placed([-10, 5]).tags;
    expect(inSight!.tagY).toBe(33);
  });

  test('labels at the upper edge are placed below the legend', () => {
    expect(placed([-10, 5, 200], 20).tags.map(({ tagY }) => tagY)).toEqual([31, 53, 200]);
    expect(placed([5], 20).tags.map(({ tagY }) => tagY)).toEqual([31]);
  });
});
