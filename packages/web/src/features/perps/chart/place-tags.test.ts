import { describe, expect, test } from 'vitest';
import { placeTags } from './price-chart.tsx';

function placed(ys: readonly number[], height = 400) {
  const lines = ys.map((y, at) => ({ id: String(at), y }));
  const { above, below, places } = placeTags(lines, height);
  return { above, below, tags: ys.map((_, at) => places.get(String(at))!) };
}

describe('labels of lines on the chart', () => {
  test('stand at their line where there is room', () => {
    expect(placed([100, 200]).tags.map(({ tagY }) => tagY)).toEqual([100, 200]);
  });

  test('make room for each other, in the order of their prices', () => {
    expect(placed([100, 105, 103]).tags.map(({ tagY }) => tagY)).toEqual([81, 125, 103]);
  });

  test('of one price stand around it: the ticket beside the order that rests there', () => {
    expect(placed([200, 200]).tags.map(({ tagY }) => tagY)).toEqual([189, 211]);
    // One that has room stays where it is.
    expect(placed([200, 200, 300]).tags.map(({ tagY }) => tagY)).toEqual([189, 211, 300]);
  });

  test('that move into the room of another take it along', () => {
    expect(placed([170, 200, 200]).tags.map(({ tagY }) => tagY)).toEqual([168, 190, 212]);
  });

  test('at the lower end they go up instead of out', () => {
    expect(placed([398, 399, 400]).tags.map(({ tagY }) => tagY)).toEqual([356, 378, 400]);
  });

  test('of lines out of sight they stand at the edge, the nearest three, and the others are counted', () => {
    const { above, below, tags } = placed([-10, -20, -30, -40, 500]);
    expect([above, below]).toEqual([1, 0]);
    expect(tags.map(({ edge }) => edge)).toEqual(['above', 'above', 'above', 'above', 'below']);
    expect(tags.map(({ isCounted }) => isCounted)).toEqual([false, false, false, true, false]);
    // The nearest to the prices stands nearest to them.
    expect(tags.slice(0, 3).map(({ tagY }) => tagY)).toEqual([55, 33, 11]);
    expect(tags[4]!.tagY).toBe(389);
  });

  test('what is in sight makes room for what stands at the edge', () => {
    const [, inSight] = placed([-10, 5]).tags;
    expect(inSight!.tagY).toBe(33);
  });
});
