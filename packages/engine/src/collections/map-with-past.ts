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
