import type { Fetch, Wallet } from '@oddlot/sdk';
import type { TestAccount, TestVenue } from '@oddlot/testkit';
import { type Json, type Part, SAMPLE } from '../packages/site/src/samples-of.ts';

export { type Json, type Part, samplesOf } from '../packages/site/src/samples-of.ts';

/** The samples on all pages, keyed by the heading of their section. */
export type Samples = Readonly<
  Record<'actions' | 'queries' | 'channels' | 'services', ReadonlyMap<string, readonly Part[]>>
>;

const QUIET_MS = 30_000;

/** Sends requests to a venue and stores them with their responses. */
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

  /**
   * Returns an account's exchange client. The first request for each action or label becomes a
   * sample.
   */
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
    const stored = this.actions.get(type) ?? [];
    const suffix = label === undefined ? '' : ` (${label})`;
    if (stored.some((part) => part.label === `Request${suffix}`)) return;
    if (label === undefined && stored.length > 0) return;
    const parts = [
      { label: `Request${suffix}`, value: envelope as Json },
      { label: `Reply${suffix}`, value: JSON.parse(answer) as Json },
    ];
    this.actions.set(type, [...stored, ...parts]);
  }

  /** Sends a query to /info and returns the response's data. */
  async ask<Data>(query: { readonly type: string; readonly [key: string]: Json }): Promise<Data> {
    const answer = await this.#post('/info', query);
    this.queries.set(query.type, [
      { label: 'Request', value: query },
      { label: 'Answer', value: answer },
    ]);
    return (answer as { data: Data }).data;
  }

  /** Sends a request to an endpoint other than /info. */
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

  /**
   * Subscribes to a channel. The returned function waits for the number of initial frames that a
   * sample shows.
   */
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

export const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin'] as const;

export type People = Readonly<Record<(typeof NAMES)[number], TestAccount>>;

export type Stage = {
  readonly venue: TestVenue;
  readonly recorder: Recorder;
  readonly people: People;
};

const WIDTH = 110;
/** Longer strings, such as MessagePack data, are truncated. */
const TEXT_MAX = 200;
const TEXT_SHOWN = 64;
/**
 * An array of objects is truncated to its first object, or to two if the objects have at most this
 * many fields.
 */
const SMALL_KEYS = 6;
const SCALARS_MAX = 10;

/** Returns a value with long arrays and strings truncated. */
export function shortened(value: Json): Json {
  if (typeof value === 'string') {
    return value.length > TEXT_MAX ? `${value.slice(0, TEXT_SHOWN)}…` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return firstOf(value).map(shortened);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function firstOf(list: readonly Json[]): readonly Json[] {
  const [first] = list;
  if (typeof first !== 'object' || first === null) return list.slice(0, SCALARS_MAX);
  if (isList(first)) return list.slice(0, 2);
  return list.slice(0, Object.keys(first).length > SMALL_KEYS ? 1 : 2);
}

/** Returns a value with each field replaced by the name of its type. */
export function shapeOf(value: Json): Json {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (isList(value)) {
    const shapes = value.map((each) => JSON.stringify(shapeOf(each)));
    return [...new Set(shapes)].sort().map((shape) => JSON.parse(shape) as Json);
  }
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, shapeOf(value[key]!)]));
}

/** Returns a page with each sample inserted in its place. */
export function withSamples(page: string, samples: ReadonlyMap<string, readonly Part[]>): string {
  return page.replace(SAMPLE, (_, name: string) => {
    const parts = samples.get(name);
    if (parts === undefined) throw new Error(`there is no sample of ${name}`);
    return `<!-- sample: ${name} -->\n\n${parts.map(written).join('\n')}\n<!-- /sample -->`;
  });
}

function written({ label, value }: Part): string {
  return `${label}:\n\n\`\`\`json\n${printed(shortened(value), 0)}\n\`\`\`\n`;
}

/** Formats JSON. A value that fits on one line is not broken. */
function printed(value: Json, indent: number): string {
  const inline = onOneLine(value);
  if (inline.length + indent <= WIDTH || typeof value !== 'object' || value === null) return inline;
  const inner = ' '.repeat(indent + 2);
  const lines = isList(value)
    ? value.map((each) => printed(each, indent + 2))
    : Object.entries(value).map(
        ([key, each]) => `${JSON.stringify(key)}: ${printed(each, indent + 2)}`,
      );
  const [open, close] = isList(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${inner}${packed(lines, indent + 2).join(`,\n${inner}`)}\n${' '.repeat(indent)}${close}`;
}

/** Puts several short fields on one line. */
function packed(fields: readonly string[], indent: number): string[] {
  const lines: string[] = [];
  for (const field of fields) {
    const last = lines.at(-1);
    const isShort = last !== undefined && !`${last}${field}`.includes('\n');
    if (isShort && last.length + field.length + indent + 3 <= WIDTH) {
      lines[lines.length - 1] = `${last}, ${field}`;
    } else lines.push(field);
  }
  return lines;
}

function onOneLine(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(onOneLine).join(', ')}]`;
  const fields = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${onOneLine(each)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
