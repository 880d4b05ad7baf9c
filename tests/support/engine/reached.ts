import { expect } from 'vitest';

/**
 * Counts how often a property reaches the condition it tests. A conditional property proves nothing
 * if its condition never occurs, so each property demands a minimum count.
 */
export class Reached {
  readonly #counts = new Map<string, number>();

  note(what: string): void {
    this.#counts.set(what, this.count(what) + 1);
  }

  count(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** Fails if one of these conditions occurred fewer than `least` times. */
  demand(least: number, ...whats: readonly string[]): void {
    for (const what of whats) {
      expect(this.count(what), `reached: ${what}`).toBeGreaterThanOrEqual(least);
    }
  }
}
