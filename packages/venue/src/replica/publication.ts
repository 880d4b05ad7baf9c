import type { AppliedBlock } from '../block/applied-block.ts';

/**
 * Tells those who pass a block on to others, behind those who wait for it: a reply goes out before the same news goes to
 * a thousand streams. Blocks are told in order, each before the next one is applied, since whoever is told reads the state.
 */
export class Publication {
  readonly #listeners: ((block: AppliedBlock) => void)[] = [];
  #block: AppliedBlock | undefined;
  #planned: NodeJS.Immediate | undefined;

  onBlock(listener: (block: AppliedBlock) => void): void {
    this.#listeners.push(listener);
  }

  /** Replies are written at the end of this turn of the event loop; the block is told in the next phase. */
  plan(block: AppliedBlock): void {
    this.publish();
    this.#block = block;
    this.#planned = setImmediate(() => this.publish());
  }

  /** Tells what is planned now: for whoever must not see a state that was not told yet. */
  publish(): void {
    const block = this.#block;
    if (block === undefined) return;
    clearImmediate(this.#planned);
    this.#block = undefined;
    for (const listener of this.#listeners) listener(block);
  }
}
