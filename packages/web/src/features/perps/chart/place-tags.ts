type Placed = Readonly<{ tagY: number; edge: 'above' | 'below' | undefined; isCounted: boolean }>;

/** A fixed label is drawn by other code, and other labels move away from it. */
type Wanted = { readonly id: string; readonly y: number; readonly isFixed?: true };

const STEP_PX = 22;
const EDGE_MAX = 3;

/** Places labels between `clearPx`, which keeps the legend readable, and the height of the chart. */
export function placeTags(
  lines: readonly Wanted[],
  { height, clearPx = 0 }: { readonly height: number; readonly clearPx?: number },
): Readonly<{ places: ReadonlyMap<string, Placed>; above: number; below: number }> {
  const places = new Map<string, Placed>();
  const sorted = lines.toSorted((a, b) => a.y - b.y);
  const above = sorted.filter(({ y }) => y < 0).toReversed();
  const below = sorted.filter(({ y }) => y > height);
  const counted = {
    above: Math.max(0, above.length - EDGE_MAX),
    below: Math.max(0, below.length - EDGE_MAX),
  };
  const [top, bottom] = [Math.min(above.length, EDGE_MAX), Math.min(below.length, EDGE_MAX)];
  above.forEach(({ id }, at) =>
    places.set(id, {
      tagY: clearPx + (top - 0.5 - at) * STEP_PX,
      edge: 'above',
      isCounted: at >= EDGE_MAX,
    }),
  );
  below.forEach(({ id }, at) =>
    places.set(id, {
      tagY: height - (bottom - 0.5 - at) * STEP_PX,
      edge: 'below',
      isCounted: at >= EDGE_MAX,
    }),
  );
  const inside = sorted.filter(({ y }) => y >= 0 && y <= height);
  const from = clearPx + (top + 0.5) * STEP_PX;
  const to = height - (bottom + 0.5) * STEP_PX;
  apart(inside, top === 0 && clearPx === 0 ? 0 : from, bottom === 0 ? height : to).forEach(
    (tagY, at) => places.set(inside[at]!.id, { tagY, edge: undefined, isCounted: false }),
  );
  return { places, ...counted };
}

const FIXED_WEIGHT = 1_000;

/** Moves positions apart with isotonic regression, which keeps a minimum distance between them. */
function apart(wanted: readonly Wanted[], from: number, to: number): readonly number[] {
  const groups: { readonly sum: number; readonly weight: number; readonly count: number }[] = [];
  wanted.forEach(({ isFixed, y }, at) => {
    let [weight, count] = [isFixed === true ? FIXED_WEIGHT : 1, 1];
    let sum = (y - at * STEP_PX) * weight;
    for (let before = groups.at(-1); before !== undefined; before = groups.at(-1)) {
      if (before.sum / before.weight <= sum / weight) break;
      groups.pop();
      [sum, weight, count] = [before.sum + sum, before.weight + weight, before.count + count];
    }
    groups.push({ sum, weight, count });
  });
  const most = to - (wanted.length - 1) * STEP_PX;
  return groups
    .flatMap(({ count, sum, weight }) => Array<number>(count).fill(Math.round(sum / weight)))
    .map((less, at) => Math.min(Math.max(less, from), most) + at * STEP_PX);
}
