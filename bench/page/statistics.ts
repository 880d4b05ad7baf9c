/** The value that so many of a hundred stay at or below. */
export function percentile(values: readonly number[], hundredths: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.ceil((sorted.length * hundredths) / 100) - 1);
  const value = sorted[Math.max(0, at)];
  if (value === undefined) throw new RangeError('a percentile of nothing');
  return value;
}

/** By how much a value grows in a unit of the other, by least squares. */
export function slope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x0, y0] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const spread = points.reduce((sum, { x }) => sum + (x - x0) ** 2, 0);
  return points.reduce((sum, { x, y }) => sum + (x - x0) * (y - y0), 0) / spread;
}
