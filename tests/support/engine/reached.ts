import { expect } from 'vitest';

/**
 * How often a property came to what it is about. A property that holds only under a condition says
 * nothing when the condition never came true, so each counts the times and demands some.
 */
export class Reached {
  readonly #counts = new Map<string, number>();

  note(what: string): void {
    this.#counts.set(what, this.count(what) + 1);
  }

  count(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** Fails for the first that was reached less often than this. */
  demand(least: number, ...whats: readonly string[]): void {
    for (const what of whats) {
      expect(this.count(what), `reached: ${what}`).toBeGreaterThanOrEqual(least);
    }
  }
}
