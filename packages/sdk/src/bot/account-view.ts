import type {
  AccountStateUpdate,
  AssetPosition,
  ClearinghouseState,
  OpenOrder,
  OrderUpdate,
} from '@oddlot/protocol';
import { callApart } from '../errors.ts';
import type { InfoClient } from '../info/create-info.ts';
import type { StreamsClient } from '../streams/create-streams.ts';
import type { Subscription } from '../streams/subscription.ts';
import { sleep } from '../transport/backoff.ts';
import type { StreamEvent } from '../transport/stream.ts';

const RETRY_MS_MAX = 10_000;

/** A live order, with the fields common to queries and streams. */
export type LiveOrder = Pick<OrderUpdate['order'], keyof OpenOrder & keyof OrderUpdate['order']>;

/** Options for an `AccountView`: the account to follow and a listener for changes. */
export type AccountViewOptions = {
  readonly user: string;
  /** Called after every change. */
  readonly onChange?: ((view: AccountView) => void) | undefined;
};

/**
 * The live perp orders and positions of an account, updated from the streams. Both reflect the
 * newest frame received, so an order that has not been answered yet is missing. `isReady` is false
 * until both are known, and again while a stream recovers from a reset.
 */
export class AccountView {
  readonly #onChange: ((view: AccountView) => void) | undefined;
  readonly #orderStream: Subscription<OrderUpdate[]>;
  readonly #stateStream: Subscription<AccountStateUpdate>;
  #orders = new Map<number, LiveOrder>();
  #hasOrders = false;
  /**
   * Orders that ended after the query for all orders was sent. The query's response may be older
   * and still list them.
   */
  #ended = new Set<number>();
  /** Orders that the stream reported after the query for all orders was sent. */
  #fresh = new Set<number>();
  #isClosed = false;
  readonly #info: InfoClient;
  readonly #user: string;
  #state: ClearinghouseState | undefined;

  constructor(
    { info, streams }: { readonly info: InfoClient; readonly streams: StreamsClient },
    { user, onChange }: AccountViewOptions,
  ) {
    this.#info = info;
    this.#user = user;
    this.#onChange = onChange;
    this.#orderStream = streams.orderUpdates({ user }, (event) => this.#tookOrders(event));
    this.#stateStream = streams.clearinghouseState({ user }, (event) => this.#tookState(event));
    // `ready` rejects if either subscription is rejected.
    this.#orderStream.ready.then(
      () => this.#load(),
      () => undefined,
    );
  }

  /** Resolves when the venue has accepted both subscriptions. */
  get ready(): Promise<void> {
    return Promise.all([this.#orderStream.ready, this.#stateStream.ready]).then(() => undefined);
  }

  get isReady(): boolean {
    return this.#hasOrders && this.#state !== undefined;
  }

  /** Returns the live orders, oldest first. */
  get orders(): readonly LiveOrder[] {
    return [...this.#orders.values()];
  }

  get positions(): readonly AssetPosition[] {
    return this.#state?.assetPositions ?? [];
  }

  /** Returns the margin and the balances, or undefined before the first frame. */
  get state(): ClearinghouseState | undefined {
    return this.#state;
  }

  order(id: number | { readonly cloid: string }): LiveOrder | undefined {
    if (typeof id === 'number') return this.#orders.get(id);
    return this.orders.find(({ cloid }) => cloid === id.cloid);
  }

  /**
   * Returns the size of a position in the base asset: negative for a short, '0' if there is no
   * position.
   */
  size(instrumentId: number): string {
    const found = this.positions.find(({ position }) => position.asset === String(instrumentId));
    return found?.position.szi ?? '0';
  }

  close(): void {
    this.#isClosed = true;
    this.#orderStream.close();
    this.#stateStream.close();
  }

  /**
   * Loads all orders after the subscription and after each reset, because the stream reports only
   * changes.
   */
  async #load(): Promise<void> {
    this.#ended = new Set();
    this.#fresh = new Set();
    for (let waitMs = 250; !this.#isClosed; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      try {
        const open = await this.#info.frontendOpenOrders({ user: this.#user });
        const orders = new Map<number, LiveOrder>();
        for (const order of open.toReversed()) {
          if (!this.#ended.has(order.oid)) orders.set(order.oid, order);
        }
        // Orders from the stream are at least as recent as those from the query.
        for (const oid of this.#fresh) orders.set(oid, this.#orders.get(oid)!);
        this.#orders = orders;
        this.#hasOrders = true;
        this.#changed();
        return;
      } catch {
        // The client has already retried, so the venue will probably be unavailable for a while.
        await sleep(waitMs);
      }
    }
  }

  #tookOrders(event: StreamEvent<OrderUpdate[]>): void {
    if (event.type === 'reset') {
      this.#hasOrders = false;
      void this.#load();
      return;
    }
    for (const { order, status } of event.data) {
      if (status === 'open') {
        this.#orders.set(order.oid, order);
        this.#fresh.add(order.oid);
      } else {
        this.#orders.delete(order.oid);
        this.#fresh.delete(order.oid);
        this.#ended.add(order.oid);
      }
    }
    if (this.#hasOrders) this.#changed();
  }

  #tookState(event: StreamEvent<AccountStateUpdate>): void {
    this.#state = event.type === 'reset' ? undefined : event.data.clearinghouseState;
    if (event.type === 'data') this.#changed();
  }

  #changed(): void {
    if (this.#onChange !== undefined && this.isReady) callApart(this.#onChange, this);
  }
}
