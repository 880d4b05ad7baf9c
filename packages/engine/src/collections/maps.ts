/**
 * A map layered on top of another, which it never changes: all changes are stored in the upper map.
 * A value from the lower map is copied when first read, so that callers can change it; later reads
 * return the same copy. Iteration follows the order of a plain copy of the lower map. The lower map
 * must not change while this one is in use.
 */
export class LayeredMap<Key, Value> implements Map<Key, Value> {
  readonly #below: ReadonlyMap<Key, Value>;
  readonly #copy: (value: Value) => Value;
  readonly #covers = new Map<Key, Value>();
  /** The lower map's deleted keys; if such a key is set again, it comes after all others. */
  readonly #deleted = new Set<Key>();
  readonly #added = new Map<Key, Value>();

  /**
   * Creates a layer over `below`. If `copy` is absent, the values of `below` must never be changed.
   */
  constructor(below: ReadonlyMap<Key, Value>, copy: (value: Value) => Value = (value) => value) {
    this.#below = below;
    this.#copy = copy;
  }

  get [Symbol.toStringTag](): string {
    return 'LayeredMap';
  }

  get size(): number {
    return this.#below.size - this.#deleted.size + this.#added.size;
  }

  get(key: Key): Value | undefined {
    const known = this.#added.get(key) ?? this.#covers.get(key);
    if (known !== undefined || this.#deleted.has(key)) return known;
    const value = this.#below.get(key);
    if (value === undefined) return undefined;
    const copied = this.#copy(value);
    this.#covers.set(key, copied);
    return copied;
  }

  has(key: Key): boolean {
    return this.#added.has(key) || this.#isBelow(key);
  }

  set(key: Key, value: Value): this {
    if (this.#isBelow(key)) this.#covers.set(key, value);
    else this.#added.set(key, value);
    return this;
  }

  delete(key: Key): boolean {
    if (this.#added.delete(key)) return true;
    if (!this.#isBelow(key)) return false;
    this.#covers.delete(key);
    this.#deleted.add(key);
    return true;
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  forEach(visit: (value: Value, key: Key, map: Map<Key, Value>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }

  *keys(): Generator<Key, undefined> {
    for (const key of this.#below.keys()) if (!this.#deleted.has(key)) yield key;
    yield* this.#added.keys();
    return undefined;
  }

  *entries(): Generator<[Key, Value], undefined> {
    for (const key of this.keys()) yield [key, this.get(key) as Value];
    return undefined;
  }

  *values(): Generator<Value, undefined> {
    for (const key of this.keys()) yield this.get(key) as Value;
    return undefined;
  }

  [Symbol.iterator](): Generator<[Key, Value], undefined> {
    return this.entries();
  }

  #isBelow(key: Key): boolean {
    return this.#below.has(key) && !this.#deleted.has(key);
  }
}

/**
 * A map that allocates nothing until its first entry. Most of an account's maps stay empty. At 200
 * bytes each, empty `Map` objects would take most of the memory of a million accounts and burden
 * the garbage collector.
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

type Older<Key, Value> = {
  get(key: Key): Value | undefined;
  values(): Iterable<Value>;
};

/**
 * A map that stores older entries in compact form. Changing a value read from the compact form has
 * no effect.
 */
export class MapWithPast<Key, Value> {
  readonly #live = new Map<Key, Value>();
  readonly #older: Older<Key, Value>;

  constructor(past: Older<Key, Value>) {
    this.#older = past;
  }

  get live(): ReadonlyMap<Key, Value> {
    return this.#live;
  }

  get(key: Key): Value | undefined {
    return this.#live.get(key) ?? this.#older.get(key);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  set(key: Key, value: Value): void {
    this.#live.set(key, value);
  }

  /** Removes a value that is now stored in compact form. */
  dropArchived(key: Key): void {
    this.#live.delete(key);
  }

  *values(): Generator<Value> {
    yield* this.#live.values();
    yield* this.#older.values();
  }
}
