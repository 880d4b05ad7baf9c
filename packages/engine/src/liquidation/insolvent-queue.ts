import type { MicroUsdc } from '@oddlot/units';
import { Heap } from '../collections/heap.ts';
import { equityOf } from '../perp/blind.ts';
import { isInsuranceFund } from '../perp/insurance-fund.ts';
import type { Account, Holding } from '../state/account.ts';
import type { Scope } from '../state/risk-index.ts';
import type { State } from '../state/state.ts';
import { byScope } from './scope.ts';

type Entry = { readonly scope: Scope; readonly equity: MicroUsdc };

/**
 * Scopes with equity below zero, the lowest first, then by address, cross before isolated, instrument
 * and leg (R-liquidation). Whoever changes a scope offers it again; it counts as it stands then.
 */
export class InsolventQueue {
  readonly #state: State;
  readonly #heap = new Heap<Entry>(isBefore);
  /** What each scope was last offered with; other entries are dead. */
  readonly #offered = new Map<Account | Holding, MicroUsdc>();

  constructor(state: State) {
    this.#state = state;
  }

  get isEmpty(): boolean {
    return this.#heap.size === 0;
  }

  /** Takes a scope in if it is insolvent. */
  offer(scope: Scope): void {
    const { account, holding } = scope;
    if (holding?.isIsolated === false || isInsuranceFund(this.#state, account)) return;
    const equity = equityOf(this.#state, scope);
    const key = holding ?? account;
    if (equity >= 0n) {
      this.#offered.delete(key);
      return;
    }
    if (this.#offered.get(key) === equity) return;
    this.#offered.set(key, equity);
    this.#heap.push({ scope, equity });
  }

  /** The next one, which is then out of the queue. */
  take(): Scope | undefined {
    for (let entry = this.#heap.pop(); entry !== undefined; entry = this.#heap.pop()) {
      const { equity, scope } = entry;
      const key = scope.holding ?? scope.account;
      if (this.#offered.get(key) !== equity) continue;
      this.#offered.delete(key);
      return scope;
    }
    return undefined;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  if (a.equity !== b.equity) return a.equity < b.equity;
  return byScope(a.scope, b.scope) < 0;
}
