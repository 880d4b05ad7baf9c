import { clientOrderKey, type OrderStatus } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import type { EndedOrder, OrderTarget } from '@oddlot/translate/outcome/ended-order';

/** The end of an order and its owner. Plain data for snapshots. */
type Row = readonly [
  orderId: number,
  account: Address,
  instrumentId: number,
  clientOrderId: string | null,
  state: Exclude<OrderStatus, 'open'>,
  filled: number,
  filledNotional: number,
];

/** Enough for a burst of late cancels; the history has older ones. */
const KEPT_MAX = 10_000;

/**
 * The orders that ended last. The engine removes an order when it ends; a later cancel or amend returns its end from
 * here.
 */
export class EndedOrders {
  readonly #keptMax: number;
  /** The oldest first. */
  readonly #byOrderId = new Map<number, Row>();
  readonly #byClientId = new Map<string, number>();
  /** An iterator after all removed entries, because a new one would first skip their gaps. */
  #oldest = this.#byOrderId.values();

  constructor(keptMax = KEPT_MAX) {
    this.#keptMax = keptMax;
  }

  onBlock({ result }: Pick<AppliedBlock, 'result'>): void {
    for (const event of result.events) {
      if (event.type !== 'orderUpdated' || event.status === 'open') continue;
      const { account, clientOrderId, filled, filledNotional, instrumentId, orderId } = event.order;
      const { status } = event;
      const client = clientOrderId ?? null;
      this.#add([orderId, account, instrumentId, client, status, filled, filledNotional]);
    }
  }

  /** Undefined if the order is unknown. */
  find(account: Address, target: OrderTarget): EndedOrder | undefined {
    const { clientOrderId, instrumentId } = target;
    const orderId =
      target.orderId ??
      (clientOrderId === undefined
        ? undefined
        : this.#byClientId.get(clientKey(account, clientOrderId)));
    const row = orderId === undefined ? undefined : this.#byOrderId.get(orderId);
    if (row === undefined) return undefined;
    const [, owner, instrument, client, state, filled, filledNotional] = row;
    if (owner !== account || instrument !== instrumentId) return undefined;
    return { orderId, clientOrderId: client ?? undefined, state, filled, filledNotional };
  }

  dump(): readonly Row[] {
    return [...this.#byOrderId.values()];
  }

  restore(rows: readonly Row[]): void {
    for (const row of rows) this.#add(row);
  }

  clear(): void {
    this.#byOrderId.clear();
    this.#byClientId.clear();
    this.#oldest = this.#byOrderId.values();
  }

  #add(row: Row): void {
    const [orderId, account, , client] = row;
    this.#byOrderId.delete(orderId);
    this.#byOrderId.set(orderId, row);
    if (client !== null) this.#byClientId.set(clientKey(account, client), orderId);
    if (this.#byOrderId.size <= this.#keptMax) return;
    const oldest = this.#oldest.next().value;
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget([orderId, account, , client]: Row): void {
    this.#byOrderId.delete(orderId);
    if (client === null) return;
    const key = clientKey(account, client);
    // A client may reuse an id after its order has ended.
    if (this.#byClientId.get(key) === orderId) this.#byClientId.delete(key);
  }
}

function clientKey(account: Address, clientOrderId: string): string {
  return `${account} ${clientOrderKey(clientOrderId) ?? clientOrderId}`;
}
