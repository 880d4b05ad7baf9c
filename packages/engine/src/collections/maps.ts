/**
 * A map on top of another one, which it never changes: what is set or deleted stays up here. A value
 * of the lower map is copied when it is first read, so that whoever gets it may change it, and is the
 * same object from then on. Iterates as a plain copy of the lower map would. The lower map must stand
 * still while this one is in use.
 */
export class LayeredMap<Key, Value> implements Map<Key, Value> {
  readonly #below: ReadonlyMap<Key, Value>;
  readonly #copy: (value: Value) => Value;
  /** Copied and replaced values of keys that stand in the lower map. */
  readonly #covers = new Map<Key, Value>();
  /** Keys of the lower map that were deleted; one that comes back stands behind all others. */
  readonly #gone = new Set<Key>();
  readonly #added = new Map<Key, Value>();

  /** Values that nobody changes need no copy. */
  constructor(below: ReadonlyMap<Key, Value>, copy: (value: Value) => Value = (value) => value) {
    this.#below = below;
    this.#copy = copy;
  }

  get [Symbol.toStringTag](): string {
    return 'LayeredMap';
  }

  get size(): number {
    return this.#below.size - this.#gone.size + this.#added.size;
  }

  get(key: Key): Value | undefined {
    const known = this.#added.get(key) ?? this.#covers.get(key);
    if (known !== undefined || this.#gone.has(key)) return known;
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
    this.#gone.add(key);
    return true;
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  forEach(visit: (value: Value, key: Key, map: Map<Key, Value>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }

  *keys(): Generator<Key, undefined> {
    for (const key of this.#below.keys()) if (!this.#gone.has(key)) yield key;
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
    return this.#below.has(key) && !this.#gone.has(key);
  }
}

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

/** What is found by a key and is no longer kept as an object of its own. */
type Past<Key, Value> = {
  get(key: Key): Value | undefined;
  values(): Iterable<Value>;
};

/**
 * A map whose older part is kept elsewhere, in less room. A value of that part is made when it is asked
 * for: it can be read, and to change it changes nothing.
 */
export class MapWithPast<Key, Value> {
  readonly #live = new Map<Key, Value>();
  readonly #past: Past<Key, Value>;

  constructor(past: Past<Key, Value>) {
    this.#past = past;
  }

  /** The part that is kept here. */
  get live(): ReadonlyMap<Key, Value> {
    return this.#live;
  }

  get(key: Key): Value | undefined {
    return this.#live.get(key) ?? this.#past.get(key);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  set(key: Key, value: Value): void {
    this.#live.set(key, value);
  }

  /** Lets go of a value that is kept elsewhere from now on. */
  letGo(key: Key): void {
    this.#live.delete(key);
  }

  /** All of them, in no order that means anything. */
  *values(): Generator<Value> {
    yield* this.#live.values();
    yield* this.#past.values();
  }
}
