/** As long as streams keep frames: who has been away for longer is told a state. */
export const KEPT_MS_MAX = 5 * 60_000;

/** Blocks that are dropped are cut off together, so that each costs nothing. */
const CUT_MIN = 1_024;

/** The newest blocks without a gap, as many as weigh no more than a bound; the last one stays whatever it weighs. */
export class NewestBlocks<Block extends { readonly height: number }> {
  readonly #weigh: (block: Block) => number;
  readonly #weightMax: number;
  #blocks: Block[] = [];
  /** Those before are dropped. */
  #first = 0;
  #weight = 0;

  constructor(weigh: (block: Block) => number, weightMax: number) {
    this.#weigh = weigh;
    this.#weightMax = weightMax;
  }

  get last(): Block | undefined {
    return this.#blocks.at(-1);
  }

  /** Those before it go when they are too many, or too old. */
  push(block: Block, isTooOld: (oldest: Block) => boolean = () => false): void {
    this.#blocks.push(block);
    this.#weight += this.#weigh(block);
    for (;;) {
      const oldest = this.#blocks[this.#first];
      if (oldest === undefined || oldest === block) break;
      if (this.#weight <= this.#weightMax && !isTooOld(oldest)) break;
      this.#weight -= this.#weigh(oldest);
      this.#first += 1;
    }
    if (this.#first < CUT_MIN || this.#first * 2 < this.#blocks.length) return;
    this.#blocks = this.#blocks.slice(this.#first);
    this.#first = 0;
  }

  /** The blocks after one up to another; undefined when some of them are not here any more. */
  between(after: number, upTo: number): readonly Block[] | undefined {
    const first = this.#blocks[this.#first]?.height;
    if (first === undefined || after + 1 < first) return undefined;
    const start = this.#first + after + 1 - first;
    return this.#blocks.slice(start, Math.max(start, start + upTo - after));
  }

  /** The last ones that weigh so much together, and no more. */
  lastOf(weightMax: number): readonly Block[] {
    let first = this.#blocks.length;
    let weight = 0;
    for (; first > this.#first; first -= 1) {
      const block = this.#blocks[first - 1];
      if (block === undefined) break;
      weight += this.#weigh(block);
      if (weight > weightMax) break;
    }
    return this.#blocks.slice(first);
  }

  restore(blocks: readonly Block[]): void {
    this.clear();
    this.#blocks = [...blocks];
    for (const block of blocks) this.#weight += this.#weigh(block);
  }

  clear(): void {
    this.#blocks = [];
    this.#first = 0;
    this.#weight = 0;
  }
}
