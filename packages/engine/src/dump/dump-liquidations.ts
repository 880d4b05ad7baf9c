import { present } from '@oddlot/units';
import type { Account, HoldingKey } from '../state/account.ts';
import { CROSS, isolatedKey } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';

/** Sorted by account, then by holding; partials by their key. */
export type LiquidationDump = readonly [
  accountIndex: number,
  /** The key of an isolated holding, or CROSS. */
  holding: number,
  nextMs: number,
  partials: readonly (readonly [key: number, sinceMs: number, left: number])[],
  tried: readonly number[],
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
        .sort(([a], [b]) => a - b),
      [...progress.tried].sort((a, b) => a - b),
    ])
    .sort(([a, keyA], [b, keyB]) => a - b || keyA - keyB);
}

export function restoreLiquidations(state: State, rows: readonly LiquidationDump[]): void {
  for (const [index, key, nextMs, partials, tried] of rows) {
    const account = present(state.accounts[index], 'an account under liquidation');
    const holding =
      key === CROSS
        ? undefined
        : present(account.holdings.get(key as HoldingKey), 'a position under liquidation');
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
