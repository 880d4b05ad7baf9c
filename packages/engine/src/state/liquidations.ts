import { type Holding, holdingKey } from './account.ts';
import type { Scope } from './risk-index.ts';

/** A scope under liquidation: when it is worked on next, and which positions went in part. */
export type Progress = {
  /** Below 0 when blocks had no room for it: minus their number. */
  nextMs: number;
  /** By `holdingKey`: when the first part went out, and what of it is still to be filled. */
  readonly partials: Map<number, { readonly sinceMs: number; left: number }>;
  /** Keys of positions that were sent to the market at least once. */
  readonly tried: Set<number>;
};

/** The isolated position's key of a scope, or this for a cross account. */
export const CROSS = -1;

/** Scopes under liquidation, found by account index and holding key. */
export class Liquidations {
  readonly #byScope = new Map<string, { readonly scope: Scope; readonly progress: Progress }>();

  get size(): number {
    return this.#byScope.size;
  }

  has(scope: Scope): boolean {
    return this.#byScope.size > 0 && this.#byScope.has(keyOf(scope));
  }

  /** Takes a scope in; one that is under way already goes on as it was. */
  start(scope: Scope, nextMs: number): Progress {
    const key = keyOf(scope);
    const existing = this.#byScope.get(key);
    if (existing !== undefined) return existing.progress;
    const progress: Progress = { nextMs, partials: new Map(), tried: new Set() };
    this.#byScope.set(key, { scope, progress });
    return progress;
  }

  end(scope: Scope): void {
    this.#byScope.delete(keyOf(scope));
  }

  /** All of them; the order is nobody's business, callers sort. */
  all(): { readonly scope: Scope; readonly progress: Progress }[] {
    return [...this.#byScope.values()];
  }
}

/** The key of a scope's isolated position, or `CROSS`. */
export function isolatedKey(holding: Holding | undefined): number {
  return holding === undefined
    ? CROSS
    : holdingKey(holding.perp.definition.instrumentId, holding.leg);
}

function keyOf({ account, holding }: Scope): string {
  return `${account.index}:${isolatedKey(holding)}`;
}
