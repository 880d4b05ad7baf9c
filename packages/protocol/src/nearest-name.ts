/**
 * The maximum length of compared names. Longer names are not typos and would be expensive to
 * compare.
 */
const COMPARED_MAX = 64;

/**
 * Returns the name probably meant by a misspelt one, or undefined if none is similar. Two names are
 * similar if they differ only in case or in a few letters, or if one contains the other.
 */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const given = text.toLowerCase();
  if (given === '' || given.length > COMPARED_MAX) return undefined;
  let best: { name: string; score: number } | undefined;
  for (const name of names) {
    const score = distance(given, name.toLowerCase());
    if (best === undefined || score < best.score) best = { name, score };
  }
  return best !== undefined && best.score <= given.length / 3 ? best.name : undefined;
}

function distance(given: string, name: string): number {
  const isPart = name.includes(given) || given.includes(name);
  // Additional letters have a low weight, so `meta` is close to `perpMeta`.
  if (isPart) return Math.abs(name.length - given.length) / COMPARED_MAX;
  return edits(given, name);
}

/** Counts inserted, removed and replaced letters (the Levenshtein distance). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 0; at < from.length; at++) {
    const next = [at + 1];
    for (let index = 0; index < to.length; index++) {
      const replaced = (row[index] ?? 0) + (from[at] === to[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
