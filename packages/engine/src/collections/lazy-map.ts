/**
 * A map that takes no room until something is put into it. An account has several, and most of them
 * stay empty in most accounts: a plain map of nothing takes 200 bytes, which for a million accounts is
 * most of what they take, and what the collector of garbage walks through.
 */
export class LazyMap<Key, Value> implements Map<Key, Value> {
  #map: Map<Key, Value> | undefined;

  get [Symbol.toStringTag](): string {
    return 'LazyMap';
  }

  get size(): number {
    return this.#map === undefined ? 0 : this.#map.size;
  }

  get(key: Key): Value | undefined {
    return this.#map?.get(key);
  }

  has(key: Key): boolean {
    return this.#map !== undefined && this.#map.has(key);
  }

  set(key: Key, value: Value): this {
    this.#map ??= new Map();
    this.#map.set(key, value);
    return this;
  }

  delete(key: Key): boolean {
    return this.#map !== undefined && this.#map.delete(key);
  }

  clear(): void {
    this.#map = undefined;
  }

  forEach(visit: (value: Value, key: Key, map: Map<Key, Value>) => void): void {
    this.#map?.forEach((value, key) => visit(value, key, this));
  }

  keys(): MapIterator<Key> {
    return this.#entered.keys();
  }

  entries(): MapIterator<[Key, Value]> {
    return this.#entered.entries();
  }

  values(): MapIterator<Value> {
    return this.#entered.values();
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries();
  }

  get #entered(): ReadonlyMap<Key, Value> {
    return this.#map ?? NOTHING;
  }
}

const NOTHING = new Map<never, never>();
