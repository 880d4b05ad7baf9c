import { Agent, type IncomingMessage, request } from 'node:http';
import type { Envelope, Signed } from './wallet.ts';

/**
 * Plain HTTP with access to all parts of the answer: status, headers, raw text and JSON. It neither
 * retries nor throws for a status.
 */

/** Parsed JSON of any shape; the tests check its shape. */
export type Json = ReturnType<typeof JSON.parse>;

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
};

export type PostOptions = { readonly headers?: Record<string, string> };

/** The version in every documented request. */
export const API_VERSION = '2026-08-16';

const AGENT = new Agent({ keepAlive: true });

export class Client {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Posts JSON. A string is sent unchanged, so that a test can write its own JSON. */
  async post(path: string, body: unknown, options: PostOptions = {}): Promise<Reply> {
    return this.send('POST', path, typeof body === 'string' ? body : JSON.stringify(body), {
      'content-type': 'application/json',
      'x-api-version': API_VERSION,
      ...options.headers,
    });
  }

  /**
   * Sends exactly these headers and this body. Uses `node:http`, which needs a third of the time of
   * fetch.
   */
  async send(
    method: string,
    path: string,
    body: string | Uint8Array | undefined,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: AGENT };
      const outgoing = request(this.url + path, options, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (part: string) => (text += part));
        incoming.once('end', () => resolve(replyTo(incoming, text)));
        // A truncated answer is an error.
        incoming.once('error', reject);
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }

  async info(query: object, options?: PostOptions): Promise<Reply> {
    return this.post('/info', query, options);
  }

  /** The `data` of a query that must succeed. */
  async data(query: object): Promise<Json> {
    const reply = await this.info(query);
    if (reply.status !== 200 || reply.json?.success !== true) {
      throw new Error(`${JSON.stringify(query)} was answered ${reply.status} ${reply.text}`);
    }
    return reply.json.data;
  }

  async exchange(signed: Signed | Envelope, extra: object = {}): Promise<Reply> {
    const envelope = 'envelope' in signed ? signed.envelope : signed;
    return this.post('/exchange', { ...envelope, ...extra });
  }

  /** Sends and waits for the execution. */
  async executed(signed: Signed | Envelope): Promise<Reply> {
    return this.exchange(signed, { confirm: 'executed' });
  }
}

/**
 * Posts a body in pieces that the server may reject before it has read all of it, without a
 * declared length unless one is given. fetch would report such an answer as a broken connection.
 */
export async function postInPieces(
  url: string,
  pieces: readonly string[],
  length?: number,
): Promise<Reply> {
  const headers = {
    'content-type': 'application/json',
    ...(length === undefined ? {} : { 'content-length': String(length) }),
  };
  return new Promise((resolve, reject) => {
    let answered = false;
    const outgoing = request(url, { method: 'POST', headers }, (incoming) => {
      answered = true;
      let text = '';
      incoming.setEncoding('utf8').on('data', (part: string) => (text += part));
      const done = () => {
        resolve(replyTo(incoming, text));
        outgoing.destroy();
      };
      incoming.once('end', done);
      incoming.once('error', done);
    });
    outgoing.on('error', (error) => {
      if (!answered) reject(error);
    });
    for (const piece of pieces) outgoing.write(piece);
    outgoing.end();
  });
}

/** The text of a reject; a reply with both fields, or with neither, is an error of the venue. */
export function refusalText(json: Json): string {
  const texts = [json?.message, json?.response].filter((text) => typeof text === 'string');
  const [text] = texts;
  if (text === undefined || texts.length > 1) {
    throw new Error(`Not one refusal text: ${JSON.stringify(json)}`);
  }
  return text;
}

/** Polls until the check passes; after the timeout it throws the last error. */
export async function eventually<T>(check: () => Promise<T> | T, timeoutMs = 60_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function replyTo({ headers, statusCode = 0 }: IncomingMessage, text: string): Reply {
  const received = new Headers();
  for (const [name, value] of Object.entries(headers)) received.set(name, String(value));
  return { status: statusCode, headers: received, text, json: jsonIn(text) };
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
