/** Where the label of a line stands; the line itself is at its price. */
type Placed = {
  readonly tagY: number;
  /** Whether the price is out of sight, and where it would be. */
  readonly edge: 'above' | 'below' | undefined;
  /** One of too many beyond an edge: it is counted there. */
  readonly isCounted: boolean;
};

type Wanted = { readonly id: string; readonly y: number };

/** From the middle of one label to the middle of the next. */
const STEP_PX = 22;
/** So many labels at an edge, the nearest ones; the others are counted. */
const EDGE_MAX = 3;

/** Labels make room for each other, and those of lines that are out of sight stand at the edge. */
export function placeTags(
  lines: readonly Wanted[],
  height: number,
): {
  readonly places: ReadonlyMap<string, Placed>;
  readonly above: number;
  readonly below: number;
} {
  const places = new Map<string, Placed>();
  const sorted = lines.toSorted((a, b) => a.y - b.y);
  // Nearest first on either side.
  const above = sorted.filter(({ y }) => y < 0).toReversed();
  const below = sorted.filter(({ y }) => y > height);
  const counted = {
    above: Math.max(0, above.length - EDGE_MAX),
    below: Math.max(0, below.length - EDGE_MAX),
  };
  const [top, bottom] = [Math.min(above.length, EDGE_MAX), Math.min(below.length, EDGE_MAX)];
  above.forEach(({ id }, at) =>
    places.set(id, { tagY: (top - 0.5 - at) * STEP_PX, edge: 'above', isCounted: at >= EDGE_MAX }),
  );
  below.forEach(({ id }, at) =>
    places.set(id, {
      tagY: height - (bottom - 0.5 - at) * STEP_PX,
      edge: 'below',
      isCounted: at >= EDGE_MAX,
    }),
  );
  const inside = sorted.filter(({ y }) => y >= 0 && y <= height);
  const from = (top + 0.5) * STEP_PX;
  const to = height - (bottom + 0.5) * STEP_PX;
  apart(
    inside.map(({ y }) => y),
    top === 0 ? 0 : from,
    bottom === 0 ? height : to,
  ).forEach((tagY, at) => places.set(inside[at]!.id, { tagY, edge: undefined, isCounted: false }));
  return { places, ...counted };
}

/**
 * Rising places, a step apart at least and all in all as near to the wanted ones as that can be: labels of one price
 * stand around it. Counted without the steps above it, a place only has to be no less than the one before.
 */
function apart(wanted: readonly number[], from: number, to: number): readonly number[] {
  const groups: { readonly sum: number; readonly count: number }[] = [];
  wanted.forEach((y, at) => {
    let [sum, count] = [y - at * STEP_PX, 1];
    // Those that are in each other's way meet at the mean of what they want.
    for (let before = groups.at(-1); before !== undefined; before = groups.at(-1)) {
      if (before.sum / before.count <= sum / count) break;
      groups.pop();
      [sum, count] = [before.sum + sum, before.count + count];
    }
    groups.push({ sum, count });
  });
  const most = to - (wanted.length - 1) * STEP_PX;
  return groups
    .flatMap(({ count, sum }) => Array<number>(count).fill(Math.round(sum / count)))
    .map((less, at) => Math.min(Math.max(less, from), most) + at * STEP_PX);
}
