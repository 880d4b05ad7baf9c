/**
 * The number of leading hex digits of an address that determine its bucket, and the number of bits
 * in them.
 */
const DIGITS = 4;
const BITS = 16;

/**
 * Sorts items by address, and items with equal addresses by the given comparison. Addresses are
 * nearly random, so with as many buckets as items, each bucket holds one or two items. Only strings
 * in the same bucket are compared, which is several times faster for large arrays. If many
 * addresses share a bucket, that bucket is sorted in the ordinary way.
 */
export function sortByAddress<T>(
  items: readonly T[],
  addressOf: (item: T) => string,
  compareSame: (a: T, b: T) => number,
): T[] {
  const count = items.length;
  const bits = Math.min(BITS, 32 - Math.clz32(count));
  const buckets = new Uint16Array(count);
  const next = new Uint32Array((1 << bits) + 1);
  for (let place = 0; place < count; place++) {
    const bucket = firstDigits(addressOf(items[place] as T)) >>> (BITS - bits);
    buckets[place] = bucket;
    next[bucket + 1]! += 1;
  }
  for (let bucket = 1; bucket < next.length; bucket++) next[bucket]! += next[bucket - 1]!;
  const sorted = new Array<T>(count);
  for (let place = 0; place < count; place++) {
    sorted[next[buckets[place]!]!++] = items[place] as T;
  }
  const compare = (a: T, b: T): number => {
    const left = addressOf(a);
    const right = addressOf(b);
    return left === right ? compareSame(a, b) : left < right ? -1 : 1;
  };
  // At this point, the end of each bucket is the start of the next one.
  for (let bucket = 0, from = 0; bucket < next.length - 1; bucket++) {
    const until = next[bucket]!;
    if (until - from > 1) sortRange(sorted, from, until, compare);
    from = until;
  }
  return sorted;
}

function sortRange<T>(
  items: T[],
  from: number,
  until: number,
  compare: (a: T, b: T) => number,
): void {
  let isSorted = true;
  for (let at = from + 1; at < until && isSorted; at++) {
    isSorted = compare(items[at - 1] as T, items[at] as T) <= 0;
  }
  if (isSorted) return;
  let at = from;
  for (const item of items.slice(from, until).sort(compare)) items[at++] = item;
}

function firstDigits(address: string): number {
  let value = 0;
  for (let at = 2; at < 2 + DIGITS; at++) {
    const code = address.charCodeAt(at);
    // Character codes 48 to 57 are '0' to '9', 97 to 102 are 'a' to 'f'.
    value = value * 16 + (code < 58 ? code - 48 : code - 87);
  }
  return value;
}

export function byKey<Key extends string, Value>(map: ReadonlyMap<Key, Value>): [Key, Value][] {
  return [...map].sort(([a], [b]) => byText(a, b));
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Sorts numbers in place in ascending order. A typed array sorts numerically without a comparator
 * and takes three times as long with one. An ordinary array would sort numbers as strings, so only
 * this file may omit the comparator.
 */
export function sortNumbers(numbers: Float64Array): Float64Array {
  return numbers.sort();
}

/**
 * Adds an entry to a map that is iterated by ascending key. A map iterates in insertion order,
 * which would differ in a restored state, so entries with higher keys are reinserted after the new
 * one.
 */
export function putInOrder<Key extends number, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
): void {
  const later = [...map].filter(([other]) => other > key);
  map.set(key, value);
  for (const [other, moved] of later) {
    map.delete(other);
    map.set(other, moved);
  }
}
