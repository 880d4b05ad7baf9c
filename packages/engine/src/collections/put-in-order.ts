/**
 * Adds to a map that is iterated by ascending key. A map iterates in the order of insertion, which a
 * restored state would not share with one that lived: what comes later is moved behind the new one.
 */
export function putInOrder<Key extends number, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
): void {
  const later = [...map].filter(([other]) => other > key);
  map.set(key, value);
  for (const [other, kept] of later) {
    map.delete(other);
    map.set(other, kept);
  }
}
