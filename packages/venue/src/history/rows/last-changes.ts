import type { Address } from '@oddlot/units';
import type { OrderRecord } from './block-rows.ts';

/** Where the row of a live order stands, and what of it the engine does not remember. */
export type LastChange = {
  readonly timeMs: number;
  readonly height: number;
  /** Among the orders that the block changed. */
  readonly index: number;
  readonly instrumentId: number;
  /** How its account traded then (`settings-code.ts`). */
  readonly settings: number;
  /** The row itself, of an order from whose state it could not be made again. */
  readonly record: OrderRecord | undefined;
};

/**
 * The last changes of orders that live, by account. Their rows are not stored: an order is written once,
 * when it has ended, and shown from here until then.
 */
export class LastChanges {
  readonly #byUser = new Map<Address, Map<number, LastChange>>();

  set(user: Address, orderId: number, change: LastChange): void {
    const his = this.#byUser.get(user);
    if (his === undefined) this.#byUser.set(user, new Map([[orderId, change]]));
    else his.set(orderId, change);
  }

  delete(user: Address, orderId: number): void {
    const his = this.#byUser.get(user);
    if (his?.delete(orderId) === true && his.size === 0) this.#byUser.delete(user);
  }

  of(user: Address): ReadonlyMap<number, LastChange> {
    return this.#byUser.get(user) ?? NONE;
  }

  *ids(): Iterable<number> {
    for (const his of this.#byUser.values()) yield* his.keys();
  }

  /** Numbers are differences to those of the order before, which are short: there are many orders, most with ids that follow each other. */
  dump(): LastChangesDump {
    return [...this.#byUser].map(([user, his]) => {
      const values: DumpedValue[] = [];
      let before = FIRST;
      for (const [orderId, change] of his) {
        const { height, index, instrumentId, record, settings, timeMs } = change;
        values.push(orderId - before.orderId, timeMs - before.timeMs, height - before.height);
        values.push(index, instrumentId, record ?? settings);
        before = { orderId, timeMs, height };
      }
      return [user, values] as const;
    });
  }

  restore(dumped: LastChangesDump): void {
    for (const [user, values] of dumped) {
      let { height, orderId, timeMs } = FIRST;
      for (let at = 0; at < values.length; at += VALUES_EACH) {
        orderId += Number(values[at]);
        timeMs += Number(values[at + 1]);
        height += Number(values[at + 2]);
        const place = { timeMs, height, index: Number(values[at + 3]) };
        const last = values[at + 5];
        const record = typeof last === 'object' ? last : undefined;
        const settings = typeof last === 'number' ? last : 0;
        const instrumentId = Number(values[at + 4]);
        this.set(user, orderId, { ...place, instrumentId, settings, record });
      }
    }
  }

  clear(): void {
    this.#byUser.clear();
  }
}

const NONE: ReadonlyMap<number, LastChange> = new Map();
const FIRST = { orderId: 0, timeMs: 0, height: 0 };
const VALUES_EACH = 6;

type DumpedValue = number | OrderRecord;

/** Plain data: six values an order, the last one its settings or its row. */
export type LastChangesDump = readonly (readonly [user: Address, values: readonly DumpedValue[]])[];
