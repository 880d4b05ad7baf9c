/**
 * The answers to what one client asks, in the order in which it asked, though some take a while. What
 * is known while an earlier one is not waits for its turn.
 */
export class OrderedReplies {
  /** In order; the first is not known yet. */
  #places: { give: (() => void) | undefined }[] = [];

  /** How many wait. */
  get length(): number {
    return this.#places.length;
  }

  /** An answer that is known. */
  add(give: () => void): void {
    if (this.#places.length === 0) give();
    else this.#places.push({ give });
  }

  /** Keeps the place of an answer that takes a while, which is given to what this returns. */
  later(): (give: () => void) => void {
    const place: { give: (() => void) | undefined } = { give: undefined };
    this.#places.push(place);
    return (give) => {
      place.give = give;
      this.#work();
    };
  }

  /** Nobody waits for them any more. */
  close(): void {
    this.#places = [];
  }

  #work(): void {
    for (;;) {
      const give = this.#places[0]?.give;
      if (give === undefined) return;
      this.#places.shift();
      give();
    }
  }
}
