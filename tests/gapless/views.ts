import { crc32 } from 'node:zlib';
import type { Json } from '../support/client.ts';

/** A client's view of one subscription, computed only from its frames. */
export interface View {
  /**
   * True if a new subscriber gets a snapshot. Otherwise, a snapshot is sent only after a resync.
   */
  readonly beginsWithSnapshot: boolean;
  /** Applies the current state. Earlier rows are kept if there is no gap between them and it. */
  snapshot(data: Json): void;
  frame(data: Json): void;
}

export type ListOptions = {
  readonly rowsOf: (data: Json) => Json[];
  readonly snapshotMax: number;
  /**
   * Lists from the history begin with a snapshot, newest first. A snapshot shorter than its maximum
   * length is complete.
   */
  readonly isFromHistory: boolean;
};

/** A list that rows are only ever appended to. */
export class ListView implements View {
  readonly beginsWithSnapshot: boolean;
  rows: Json[] = [];
  /** How often rows between those received and a snapshot were lost. */
  gaps = 0;
  readonly #options: ListOptions;

  constructor(options: ListOptions) {
    this.#options = options;
    this.beginsWithSnapshot = options.isFromHistory;
  }

  snapshot(data: Json): void {
    const { isFromHistory, rowsOf, snapshotMax } = this.#options;
    const shown = isFromHistory ? rowsOf(data).toReversed() : rowsOf(data);
    const isWhole = isFromHistory && shown.length < snapshotMax;
    if (this.rows.length === 0 || isWhole) {
      this.rows = shown;
      return;
    }
    const last = JSON.stringify(this.rows.at(-1));
    const known = shown.findLastIndex((row) => JSON.stringify(row) === last);
    if (known < 0) {
      this.gaps += 1;
      this.rows = shown;
    } else this.rows.push(...shown.slice(known + 1));
  }

  frame(data: Json): void {
    this.rows.push(...this.#options.rowsOf(data));
  }
}

/** The last state received for each order, by id. */
export class OrdersView implements View {
  readonly beginsWithSnapshot = true;
  readonly orders = new Map<number, Json>();

  snapshot(data: Json): void {
    for (const row of data.orderHistory.toReversed()) this.orders.set(row.order.oid, row);
  }

  frame(data: Json): void {
    for (const row of data.orderHistory) this.orders.set(row.order.oid, row);
  }
}

/** The remaining size of each open order. */
export class LiveOrdersView implements View {
  readonly beginsWithSnapshot = false;
  readonly live = new Map<number, string>();

  snapshot(data: Json): void {
    this.live.clear();
    this.frame(data);
  }

  frame(data: Json): void {
    for (const { order, status } of data) {
      if (status === 'open') this.live.set(order.oid, order.sz);
      else this.live.delete(order.oid);
    }
  }
}

/** The last frame, which has the complete state. */
export class LastView implements View {
  readonly beginsWithSnapshot = true;
  data: Json;

  snapshot(data: Json): void {
    this.data = data;
  }

  frame(data: Json): void {
    this.data = data;
  }
}

const CHECKED_LEVELS = 20;

/** A book updated by book changes. Each of them has a checksum. */
export class BookView implements View {
  readonly beginsWithSnapshot = true;
  readonly #sides = { bids: new Map<string, Json>(), asks: new Map<string, Json>() };

  snapshot(data: Json): void {
    this.#sides.bids.clear();
    this.#sides.asks.clear();
    this.frame(data);
  }

  frame(data: Json): void {
    for (const side of ['bids', 'asks'] as const) {
      for (const [px, sz, n] of data[side]) {
        if (sz === '0') this.#sides[side].delete(px);
        else this.#sides[side].set(px, { px, sz, n });
      }
    }
    if (this.#checksum() !== data.checksum) throw new Error('the checksum of a book is another');
  }

  /** The best bid and ask levels, in the same form as in the query. */
  get levels(): [Json[], Json[]] {
    const { asks, bids } = this.#sides;
    const up = [...asks.values()].toSorted((a, b) => Number(a.px) - Number(b.px));
    const down = [...bids.values()].toSorted((a, b) => Number(b.px) - Number(a.px));
    return [down.slice(0, CHECKED_LEVELS), up.slice(0, CHECKED_LEVELS)];
  }

  #checksum(): number {
    const [bids, asks] = this.levels;
    const parts: string[] = [];
    for (let rank = 0; rank < CHECKED_LEVELS; rank++) {
      for (const level of [bids[rank], asks[rank]]) {
        if (level !== undefined) parts.push(`${level.px}:${level.sz}`);
      }
    }
    return parts.length === 0 ? 0 : crc32(parts.join(':'));
  }
}
