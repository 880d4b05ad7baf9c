import { present } from '@oddlot/units';
import { type Account, type Holding, holdingKey } from './account.ts';
import type { Scope } from './risk-index.ts';
import type { State } from './state.ts';

/** A scope under liquidation: when it is worked on next, and which positions went in part. */
export type Progress = {
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
    return this.#byScope.has(keyOf(scope));
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

/** [account index, holding key or CROSS, next time, partials by key, tried]: sorted, for a dump. */
export type LiquidationDump = readonly [
  number,
  number,
  number,
  readonly (readonly [number, number, number])[],
  readonly number[],
];

export function dumpLiquidations(state: State): LiquidationDump[] {
  return state.liquidations
    .all()
    .map(({ scope, progress }): LiquidationDump => [
      scope.account.index,
      isolatedKey(scope.holding),
      progress.nextMs,
      [...progress.partials.entries()]
        .map(([key, { sinceMs, left }]) => [key, sinceMs, left] as const)
        .sort((a, b) => a[0] - b[0]),
      [...progress.tried].sort((a, b) => a - b),
    ])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

export function restoreLiquidations(state: State, rows: readonly LiquidationDump[]): void {
  for (const [index, key, nextMs, partials, tried] of rows) {
    const account = present(state.accounts[index], 'an account under liquidation');
    const holding =
      key === CROSS
        ? undefined
        : present(account.holdings.get(key), 'a position under liquidation');
    const progress = state.liquidations.start({ account, holding }, nextMs);
    for (const [part, sinceMs, left] of partials) progress.partials.set(part, { sinceMs, left });
    for (const each of tried) progress.tried.add(each);
  }
}

/** Looks at every scope once: what a restored venue knows nothing of. */
export function watchEveryone(state: State): void {
  for (const account of state.accounts) watch(state, account);
}

function watch(state: State, account: Account): void {
  state.risk.changed(account, undefined);
  for (const holding of account.holdings.values()) {
    if (holding.isIsolated && holding.size !== 0) state.risk.changed(account, holding);
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
