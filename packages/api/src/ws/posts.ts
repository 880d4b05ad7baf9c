import { infoRefusal, rateLimited, type SocketAnswer, type SocketRequest } from '@oddlot/host/http';
import { checkJson, CLIENT_LIMITS, refusal, type WireError } from '@oddlot/protocol';
import type { Connection } from './connection.ts';
import { textFrame } from './frame.ts';

type PostKind = 'action' | 'info';

const PATHS: Readonly<Record<PostKind, string>> = { action: '/exchange', info: '/info' };

type PostsOptions = {
  readonly connection: Connection;
  /** Executes a request and passes the response to the request's `answer` function. */
  readonly post: (request: SocketRequest) => void;
  /** The API version header of the WebSocket handshake. */
  readonly version: string | undefined;
};

/**
 * Requests for /info and /exchange that a connection sends in frames; such a frame is called a
 * post. The text of a request is passed on unchanged, because signatures cover it, and the response
 * is the same as over HTTP.
 */
export class Posts {
  readonly #connection: Connection;
  readonly #post: PostsOptions['post'];
  readonly #version: string | undefined;
  readonly #unanswered = new Set<number>();
  #onIdle: (() => void) | undefined;

  constructor({ connection, post, version }: PostsOptions) {
    this.#connection = connection;
    this.#post = post;
    this.#version = version;
  }

  /**
   * Executes a post, even if its connection has ended. Returns false for any other frame, and for a
   * post without a valid, unused id, because it could not be answered.
   */
  receive(text: string): boolean {
    const post = readPost(text);
    if (post === undefined || this.#unanswered.has(post.id)) return false;
    const { id } = post;
    if ('error' in post) {
      this.#refuse(id, post.error);
      return true;
    }
    const { kind, payload } = post;
    const isExcess = this.#unanswered.size >= CLIENT_LIMITS.postsMax;
    if (!isExcess) this.#unanswered.add(id);
    this.#post({
      path: PATHS[kind],
      text: payload,
      ip: this.#connection.ip,
      version: this.#version,
      isExcess,
      answer: (answer) => {
        this.#connection.send(answerFrame(id, kind, answer));
        if (isExcess) return;
        this.#unanswered.delete(id);
        if (this.#unanswered.size === 0) this.#onIdle?.();
      },
    });
    return true;
  }

  get isIdle(): boolean {
    return this.#unanswered.size === 0;
  }

  /** Calls `run` once, when all posts have been answered or the time limit is reached. */
  whenIdle(run: () => void, msMax: number): void {
    const end = (): void => {
      this.#onIdle = undefined;
      cancel();
      run();
    };
    const cancel = this.#connection.timing.after(msMax, end);
    this.#onIdle = end;
  }

  /** A post without a valid endpoint is charged as a control frame. */
  #refuse(id: number, error: WireError): void {
    const isAllowed = this.#connection.budget.take();
    const { body, status } = infoRefusal(isAllowed ? error : rateLimited('info'));
    const retryAfterSeconds = isAllowed ? undefined : 1;
    const answer = { status, body, budget: undefined, retryAfterSeconds };
    this.#connection.send(answerFrame(id, 'error', answer));
  }
}

/** Returns false if the text cannot be a post. The text is not parsed. */
export function mayBePost(text: string): boolean {
  return text.includes('"post"') || text.includes('\\u');
}

const HTTP_REFUSED = 400;

function answerFrame(
  id: number,
  kind: PostKind | 'error',
  { body, budget, retryAfterSeconds, status }: SocketAnswer,
): Buffer {
  const type = status < HTTP_REFUSED ? kind : 'error';
  const head = `{"channel":"post","data":{"id":${id},"response":{"type":"${type}","status":${status},"payload":`;
  const retryAfter = retryAfterSeconds === undefined ? '' : `,"retryAfter":${retryAfterSeconds}`;
  const rateLimit = budget === undefined ? '' : `,"rateLimit":${JSON.stringify(budget)}`;
  const open =
    typeof body === 'string' ? Buffer.from(head + body) : Buffer.concat([Buffer.from(head), body]);
  return textFrame(open, `}${retryAfter}${rateLimit}}}`);
}

type ReadPost =
  | { readonly id: number; readonly kind: PostKind; readonly payload: string }
  | { readonly id: number; readonly error: WireError };

/**
 * Reads a post, or returns undefined if the frame is not a post with a valid id. Only the envelope
 * is parsed here: the payload is passed on as text and validated by its endpoint.
 */
export function readPost(text: string): ReadPost | undefined {
  const request = memberOf(text, 0, 'request');
  const payload = request && memberOf(text, request.start, 'payload');
  // The payload is replaced by a number, because its endpoint will parse and check it.
  const envelope =
    payload === undefined ? text : `${text.slice(0, payload.start)}0${text.slice(payload.end)}`;
  if (!checkJson(envelope).ok) return undefined;
  const frame = JSON.parse(envelope) as unknown;
  if (!isRecord(frame) || frame['method'] !== 'post') return undefined;
  const id = frame['id'];
  if (!Number.isSafeInteger(id) || Number(id) < 0) return undefined;
  const read = { id: Number(id) };
  const { request: asked } = frame;
  if (asked === undefined) return { ...read, error: missing('request') };
  if (!isRecord(asked)) {
    return { ...read, error: refusal('wrongType', ['request'], { field: 'request' }) };
  }
  const { type } = asked;
  if (type !== 'action' && type !== 'info') return { ...read, error: invalidType(type) };
  if (payload === undefined) return { ...read, error: missing('request.payload') };
  return { ...read, kind: type, payload: text.slice(payload.start, payload.end) };
}

/** Limits how much of an invalid type is quoted to the client. */
const SHOWN_MAX = 64;

function missing(field: string): WireError {
  return refusal('missingField', [field], { field });
}

function invalidType(type: unknown): WireError {
  const field = 'request.type';
  if (type === undefined) return missing(field);
  const got = typeof type === 'string' ? { got: type.slice(0, SHOWN_MAX) } : {};
  const details = { field, ...got, allowed: Object.keys(PATHS) };
  return refusal('invalidValue', [field, 'use action or info'], details);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Range = { readonly start: number; readonly end: number };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Finds the first value for a key in the object at an offset. The result is meaningless if the text
 * is not valid JSON.
 */
function memberOf(text: string, offset: number, key: string): Range | undefined {
  let at = skipSpace(text, offset);
  if (text.charCodeAt(at) !== OPEN_BRACE) return undefined;
  for (;;) {
    const start = skipSpace(text, at + 1);
    if (text.charCodeAt(start) !== QUOTE) return undefined;
    const end = stringEnd(text, start);
    const colon = skipSpace(text, end);
    if (text.charCodeAt(colon) !== COLON) return undefined;
    const valueStart = skipSpace(text, colon + 1);
    const valueStop = valueEnd(text, valueStart);
    // A missing value is invalid JSON, and the loop would not get past it.
    if (valueStop === valueStart) return undefined;
    if (isKey(text.slice(start, end), key)) return { start: valueStart, end: valueStop };
    at = skipSpace(text, valueStop);
    if (text.charCodeAt(at) !== COMMA) return undefined;
  }
}

function isKey(quoted: string, key: string): boolean {
  if (!quoted.includes('\\')) return quoted === `"${key}"`;
  try {
    return JSON.parse(quoted) === key;
  } catch {
    // The key has an invalid escape, so the text will be rejected when the envelope is checked.
    return false;
  }
}

/**
 * Returns the offset after the value that starts here. Only quotes and brackets are used to find
 * it.
 */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(text, at) - 1;
        if (depth === 0) return at + 1;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        if (depth <= 0) return depth === 0 ? at + 1 : at;
        break;
      case COMMA:
        if (depth === 0) return at;
        break;
    }
  }
  return text.length;
}

/** Returns the offset after the string that starts here. */
function stringEnd(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (at - start) % 2 === 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
}
