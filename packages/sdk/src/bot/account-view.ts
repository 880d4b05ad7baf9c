import type { AssetPosition, ClearinghouseState, OrderUpdate } from '@oddlot/protocol';
import { callApart } from '../call-apart.ts';
import type { StreamsClient } from '../streams/create-streams.ts';
import type { AccountStateUpdate } from '../streams/channels.ts';
import type { Subscription } from '../streams/subscription.ts';
import type { StreamEvent } from '../transport/stream.ts';

/** An order that stands, as the streams tell it. */
export type LiveOrder = OrderUpdate['order'];

/** Whose account, and who is told. */
export type AccountViewOptions = {
  readonly user: string;
  /** Told after every change. */
  readonly onChange?: ((view: AccountView) => void) | undefined;
};

/**
 * The live perp orders and the positions of an account, kept in step with the venue. Both are of their newest frame; an order
 * that is sent but not answered is in neither. `isReady` is false until both are known, and again while a place was lost.
 */
export class AccountView {
  readonly #onChange: ((view: AccountView) => void) | undefined;
  readonly #orderStream: Subscription<OrderUpdate[]>;
  readonly #stateStream: Subscription<AccountStateUpdate>;
  #orders = new Map<number, LiveOrder>();
  #hasOrders = false;
  #state: ClearinghouseState | undefined;

  constructor(
    { streams }: { readonly streams: StreamsClient },
    { user, onChange }: AccountViewOptions,
  ) {
    this.#onChange = onChange;
    this.#orderStream = streams.orderUpdates({ user }, (event) => this.#tookOrders(event));
    this.#stateStream = streams.clearinghouseState({ user }, (event) => this.#tookState(event));
  }

  /** Resolves when the venue has taken both subscriptions. */
  get ready(): Promise<void> {
    return Promise.all([this.#orderStream.ready, this.#stateStream.ready]).then(() => undefined);
  }

  get isReady(): boolean {
    return this.#hasOrders && this.#state !== undefined;
  }

  /** Oldest first. */
  get orders(): readonly LiveOrder[] {
    return [...this.#orders.values()];
  }

  get positions(): readonly AssetPosition[] {
    return this.#state?.assetPositions ?? [];
  }

  /** Margin and money; undefined before the first frame. */
  get state(): ClearinghouseState | undefined {
    return this.#state;
  }

  order(id: number | { readonly cloid: string }): LiveOrder | undefined {
    if (typeof id === 'number') return this.#orders.get(id);
    return this.orders.find(({ cloid }) => cloid === id.cloid);
  }

  /** Base size, negative for a short; '0' without a position. */
  size(instrumentId: number): string {
    const found = this.positions.find(({ position }) => position.asset === String(instrumentId));
    return found?.position.szi ?? '0';
  }

  close(): void {
    this.#orderStream.close();
    this.#stateStream.close();
  }

  #tookOrders(event: StreamEvent<OrderUpdate[]>): void {
    if (event.type === 'reset') {
      this.#hasOrders = false;
      return;
    }
    // After a reset all live orders come; what is not among them has ended.
    if (event.isSnapshot) this.#orders = new Map();
    for (const { order, status } of event.data) {
      if (status === 'open') this.#orders.set(order.oid, order);
      else this.#orders.delete(order.oid);
    }
    this.#hasOrders = true;
    this.#changed();
  }

  #tookState(event: StreamEvent<AccountStateUpdate>): void {
    this.#state = event.type === 'reset' ? undefined : event.data.clearinghouseState;
    if (event.type === 'data') this.#changed();
  }

  #changed(): void {
    if (this.#onChange !== undefined && this.isReady) callApart(this.#onChange, this);
  }
}
