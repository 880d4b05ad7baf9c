import { traceId, type Warning } from '@oddlot/protocol';
import { assert, type Address, type Hash } from '@oddlot/units';
import type { WireEntry } from '../translate/outcome-to-wire.ts';
import { authorityOf, type RequestCommand } from '../block/request-command.ts';
import type { ReceiptKey } from './receipt-key.ts';

/** An action that was executed and of which at least one order waits in the delay queue (R-delay). */
export type QueuedAction = {
  readonly command: RequestCommand;
  /** As it was sent. */
  readonly request: string | undefined;
  /** The account acted for. */
  readonly user: Address;
  /** The block that executed it, and its place there. */
  readonly block: { readonly height: number; readonly timeMs: number; readonly hash: Hash };
  readonly index: number;
  /** What became of its orders; null of those that wait. */
  readonly entries: (WireEntry | null)[];
  readonly warnings: readonly Warning[];
};

/**
 * The actions whose receipts are not complete. Made of blocks like the engine's own queue, which does
 * not keep the rest of an action; plain data, so that snapshots can carry it.
 */
export class QueuedActions {
  /** In the order of their execution. */
  readonly #byTxHash = new Map<string, QueuedAction>();

  add(action: QueuedAction): void {
    this.#byTxHash.set(authorityOf(action.command).txHash, action);
  }

  get(txHash: string): QueuedAction | undefined {
    return this.#byTxHash.get(txHash);
  }

  find(key: ReceiptKey): QueuedAction | undefined {
    if (key.by === 'txHash') return this.get(key.txHash);
    for (const action of this.#byTxHash.values()) {
      const { nonce, signer, txHash } = authorityOf(action.command);
      const isFound =
        key.by === 'traceId'
          ? traceId(txHash) === key.traceId
          : signer === key.signer && nonce === key.nonce;
      if (isFound) return action;
    }
    return undefined;
  }

  /** Takes what became of an order that waited; true when it was the last of its action. */
  release(action: QueuedAction, index: number, entry: WireEntry): boolean {
    assert(action.entries[index] === null, 'only a waiting order can be released');
    action.entries[index] = entry;
    if (action.entries.includes(null)) return false;
    this.#byTxHash.delete(authorityOf(action.command).txHash);
    return true;
  }

  dump(): readonly QueuedAction[] {
    return [...this.#byTxHash.values()];
  }

  clear(): void {
    this.#byTxHash.clear();
  }

  restore(actions: readonly QueuedAction[]): void {
    for (const action of actions) this.add(action);
  }
}
