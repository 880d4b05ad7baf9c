/** No object of this shape. */
export const NO_FIT = -1;

/** The keys of an object in the order in which they stand: some that it has, then some that it may have. */
export class Shape<T extends object> {
  readonly #keys: readonly (string & keyof T)[];
  readonly #requiredCount: number;

  constructor(
    required: readonly (string & keyof T)[],
    optional: readonly (string & keyof T)[] = [],
  ) {
    this.#keys = [...required, ...optional];
    this.#requiredCount = required.length;
  }

  /** Which of the keys that it may have an object has, as bits; `NO_FIT` for others or in another order. */
  optionalsOf(object: T): number {
    const keys = this.#keys;
    const requiredCount = this.#requiredCount;
    let at = 0;
    let bits = 0;
    for (const key in object) {
      while (keys[at] !== key) {
        if (at < requiredCount || at === keys.length) return NO_FIT;
        at += 1;
      }
      if (at >= requiredCount) bits |= 1 << (at - requiredCount);
      at += 1;
    }
    return at < requiredCount ? NO_FIT : bits;
  }
}
