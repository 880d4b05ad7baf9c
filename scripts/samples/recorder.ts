import type { Fetch, Wallet } from '@oddlot/sdk';
import type { TestVenue } from '@oddlot/testkit';

/** Any JSON value. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A document of a sample: a request, an answer or a frame. */
export type Part = { readonly label: string; readonly value: Json };

/** The samples of all pages, by the heading that they belong to. */
export type Samples = Readonly<
  Record<'actions' | 'queries' | 'channels' | 'services', ReadonlyMap<string, readonly Part[]>>
>;

const QUIET_MS = 30_000;

/** Sends requests to a venue and keeps them with their answers. */
export class Recorder {
  readonly actions = new Map<string, Part[]>();
  readonly queries = new Map<string, Part[]>();
  readonly channels = new Map<string, Part[]>();
  readonly services = new Map<string, Part[]>();
  readonly #venue: TestVenue;
  readonly #closing: (() => void)[] = [];

  constructor(venue: TestVenue) {
    this.#venue = venue;
  }

  /** The exchange of an account; the first request of each action, or of each label, becomes a sample. */
  exchangeOf(wallet: Wallet, label?: string) {
    const line = this.#venue.connection.fetch!;
    const fetch: Fetch = async (url, init) => {
      const response = await line(url, init);
      const text = await response.text();
      if (url.endsWith('/exchange')) this.#keepAction(String(init?.body), text, label);
      return new Response(text, { headers: response.headers, status: response.status });
    };
    return this.#venue.client(wallet, { fetch }).exchange;
  }

  #keepAction(request: string, answer: string, label: string | undefined): void {
    const envelope = JSON.parse(request) as { action: { type: string } };
    const { type } = envelope.action;
    const kept = this.actions.get(type) ?? [];
    const suffix = label === undefined ? '' : ` (${label})`;
    if (kept.some((part) => part.label === `Request${suffix}`)) return;
    if (label === undefined && kept.length > 0) return;
    const parts = [
      { label: `Request${suffix}`, value: envelope as Json },
      { label: `Reply${suffix}`, value: JSON.parse(answer) as Json },
    ];
    this.actions.set(type, [...kept, ...parts]);
  }

  /** Asks a query of /info and returns the data of its answer. */
  async ask<Data>(query: { readonly type: string; readonly [key: string]: Json }): Promise<Data> {
    const answer = await this.#post('/info', query);
    this.queries.set(query.type, [
      { label: 'Request', value: query },
      { label: 'Answer', value: answer },
    ]);
    return (answer as { data: Data }).data;
  }

  /** Sends a request to an endpoint next to /info. */
  async serve(path: string, body: { readonly [key: string]: Json }): Promise<void> {
    const answer = await this.#post(path, body);
    this.services.set(path, [
      { label: 'Request', value: body },
      { label: 'Answer', value: answer },
    ]);
  }

  async #post(path: string, body: Json): Promise<Json> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await this.#venue.connection.fetch!(this.#venue.url + path, init);
    const text = await response.text();
    if (response.status === 200 && !text.startsWith('{"success":false')) {
      return JSON.parse(text) as Json;
    }
    throw new Error(`${path} ${init.body}: ${response.status} ${text}`);
  }

  /** Subscribes to a channel. The returned function waits for its first frames, as many as a sample shows. */
  async follow(
    path: '/ws' | '/api-ws',
    subscription: { readonly type: string; readonly [key: string]: Json },
    frames = 1,
  ): Promise<() => Promise<void>> {
    const url = this.#venue.url.replace('http', 'ws') + path;
    const socket = (await this.#venue.connection.openSocket!(url)) as unknown as WebSocket;
    this.#closing.push(() => socket.close());
    const subscribed = Promise.withResolvers<void>();
    const complete = Promise.withResolvers<void>();
    const request = { method: 'subscribe', subscription };
    const parts: Part[] = [{ label: 'Subscribe', value: request }];
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data)) as { channel?: string; type?: string };
      if (frame.type === 'error' || frame.channel === 'error') {
        subscribed.reject(new Error(`${subscription.type}: ${String(data)}`));
      } else if (frame.channel === 'subscriptionResponse') subscribed.resolve();
      else if (parts.length <= frames) parts.push({ label: 'Frame', value: frame as Json });
      if (parts.length > frames) complete.resolve();
    });
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    socket.send(JSON.stringify(request));
    await subscribed.promise;
    this.channels.set(subscription.type, parts);
    return async () => {
      const timer = setTimeout(
        () => complete.reject(new Error(`${subscription.type}: too few frames`)),
        QUIET_MS,
      );
      await complete.promise;
      clearTimeout(timer);
    };
  }

  close(): void {
    for (const close of this.#closing) close();
  }
}
