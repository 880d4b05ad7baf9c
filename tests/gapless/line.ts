import { WebSocket } from 'ws';
import type { Json } from '../support/client.ts';
import type { View } from './views.ts';

/**
 * One of a connection's subscriptions, with its position and the state computed from its frames.
 */
export type Followed = {
  readonly subscription: { readonly type: string };
  readonly view: View;
  /** The sequence number of the last frame, and its epoch. */
  place?: { epoch: string; seq: number };
  awaitsSnapshot: boolean;
  /** True if the last subscribe request resumed the subscription. */
  resumed: boolean;
};

/** The delay before a rejected request is retried, in milliseconds. */
const RETRY_MS = 200;

/**
 * A client connection that is cut or paused and then resumes at its last position. It records every
 * error that a client must never see: a gap in the sequence numbers, a wrong book checksum, or a
 * rejection.
 */
export class Line {
  readonly followed: readonly Followed[];
  readonly faults: string[] = [];
  readonly counts = { connects: 0, resumes: 0, resyncs: 0, retries: 0, frames: 0 };
  readonly #path: string;
  readonly #urlOf: () => string;
  readonly #bySub = new Map<number, Followed>();
  #socket: WebSocket | undefined;
  #wanted = false;

  constructor(options: {
    path: string;
    urlOf: () => string;
    followed: readonly Pick<Followed, 'subscription' | 'view'>[];
  }) {
    this.#path = options.path;
    this.#urlOf = options.urlOf;
    this.followed = options.followed.map((each) => {
      return { ...each, awaitsSnapshot: false, resumed: false };
    });
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /**
   * True if every subscription is confirmed and has received its first frame, if its channel sends
   * one.
   */
  get isComplete(): boolean {
    const isDue = (each: Followed) => each.awaitsSnapshot && each.view.beginsWithSnapshot;
    return this.isOpen && this.#bySub.size === this.followed.length && !this.followed.some(isDue);
  }

  /** Connects, and reconnects until it is cut. */
  open(): void {
    this.#wanted = true;
    if (this.#socket !== undefined) return;
    this.counts.connects += 1;
    const socket = new WebSocket(this.#urlOf().replace(/\/ws$/, this.#path));
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('open', () => {
      for (const each of this.followed) this.#subscribe(each);
    });
    socket.on('message', (data) => {
      if (socket === this.#socket) this.#take(JSON.parse(String(data)));
    });
    socket.on('close', () => {
      if (socket !== this.#socket) return;
      this.#forget();
      setTimeout(() => {
        if (this.#wanted) this.open();
      }, RETRY_MS);
    });
  }

  /** Terminates the connection without a close frame. */
  cut(): void {
    this.#wanted = false;
    const socket = this.#socket;
    this.#forget();
    socket?.terminate();
  }

  /** Stops reading. Messages stay in the network buffers. */
  freeze(): void {
    this.#socket?.pause();
  }

  thaw(): void {
    this.#socket?.resume();
  }

  #forget(): void {
    this.#socket = undefined;
    this.#bySub.clear();
  }

  #subscribe(each: Followed): void {
    const isDue = each.awaitsSnapshot && each.view.beginsWithSnapshot;
    const resumeFrom = isDue ? undefined : each.place;
    each.resumed = resumeFrom !== undefined;
    if (each.resumed) this.counts.resumes += 1;
    const { subscription } = each;
    this.#socket?.send(JSON.stringify({ method: 'subscribe', subscription, resumeFrom }));
  }

  #take(frame: Json): void {
    this.counts.frames += 1;
    const error =
      frame.channel === 'error' ? frame.data : frame.type === 'error' ? frame : undefined;
    if (error !== undefined) this.#refused(error);
    else if (frame.channel === 'subscriptionResponse') this.#confirmed(frame.data);
    else if (frame.channel === 'resync') {
      this.counts.resyncs += 1;
      this.#begin(this.#bySub.get(frame.data.sub), frame.data);
    } else this.#data(frame);
  }

  /**
   * Allows a rejection only if it includes `retryAfterMs`, which means that the history cannot
   * serve a snapshot yet.
   */
  #refused({ code, message, retryAfterMs, subscription }: Json): void {
    const text = JSON.stringify(subscription);
    const waiting = this.followed.find(
      (each) => retryAfterMs !== undefined && JSON.stringify(each.subscription) === text,
    );
    if (waiting === undefined) this.faults.push(`refused: ${code} ${message}`);
    this.counts.retries += 1;
    const socket = this.#socket;
    setTimeout(() => {
      if (waiting !== undefined && socket === this.#socket && this.isOpen) this.#subscribe(waiting);
    }, RETRY_MS);
  }

  #confirmed({ epoch, seq, sub, subscription }: Json): void {
    const text = JSON.stringify(subscription);
    const each = this.followed.find((one) => JSON.stringify(one.subscription) === text);
    if (each === undefined) {
      this.faults.push(`confirmed what was not asked: ${text}`);
      return;
    }
    this.#bySub.set(sub, each);
    if (!each.resumed) this.#begin(each, { epoch, seq });
  }

  #begin(each: Followed | undefined, { epoch, seq }: { epoch: string; seq: number }): void {
    if (each === undefined) return;
    each.place = { epoch, seq };
    each.awaitsSnapshot = true;
  }

  #data({ channel, data, seq, sub }: Json): void {
    const each = this.#bySub.get(sub);
    const place = each?.place;
    if (each === undefined || place === undefined) {
      this.faults.push(`a frame of nothing: ${channel} ${sub}`);
      return;
    }
    const isSnapshot = each.awaitsSnapshot && seq === place.seq;
    if (!isSnapshot && seq !== place.seq + 1) {
      this.faults.push(`${channel}: ${seq} came behind ${place.seq}`);
    }
    if (!isSnapshot && each.awaitsSnapshot && each.view.beginsWithSnapshot) {
      this.faults.push(`${channel}: ${seq} came without a snapshot`);
    }
    each.awaitsSnapshot = false;
    each.place = { epoch: place.epoch, seq };
    try {
      if (isSnapshot) each.view.snapshot(data);
      else each.view.frame(data);
    } catch (error) {
      this.faults.push(`${channel}: ${String(error)}`);
    }
  }
}
