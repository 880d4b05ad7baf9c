import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '../operate/log.ts';
import { signedBody } from '../settlement/validator-wire.ts';
import type { BridgeDomain } from '../settlement/validators.ts';
import { type Asked, RequestBudget } from './request-budget.ts';
import type { SignedBook } from './signed-book.ts';
import type { Signer } from './signer.ts';
import { SigningRefusal } from './signing-refusal.ts';

export type ValidatorServerOptions = {
  readonly signer: Signer;
  readonly domain: BridgeDomain;
  readonly book: SignedBook;
  readonly log: Logger;
  readonly now: () => number;
};

const BODY_BYTES_MAX = 8_192;
/** Requests that are being looked at; a venue asks for a few at a time. */
const OPEN_MAX = 256;
const CONNECTIONS_MAX = 512;
const REQUEST_MS_MAX = 10_000;

/**
 * The door of a validator: `POST /sign`, and for operators `GET /healthz` and `GET /signed`. What it gives away are
 * signatures over what the venue owes anyway, and cancellations of what it has itself seen to be impossible; so it
 * asks nobody who they are, and only bounds how much one may ask.
 */
export function validatorServer(options: ValidatorServerOptions): Server {
  let open = 0;
  const budget = new RequestBudget(options.now);
  const server = createServer((request, response) => {
    open++;
    answer(options, request, { budget, isFull: open > OPEN_MAX })
      .then(({ body, status }) => end(response, status, body))
      .catch((error: unknown) => {
        options.log.error({ err: error }, 'a request failed');
        end(response, 500, { message: 'the validator failed; its log says why' });
      })
      .finally(() => open--);
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.requestTimeout = REQUEST_MS_MAX;
  return server;
}

type Reply = { readonly status: number; readonly body: object };

async function answer(
  { book, domain, log, signer }: ValidatorServerOptions,
  request: IncomingMessage,
  { budget, isFull }: { readonly budget: RequestBudget; readonly isFull: boolean },
): Promise<Reply> {
  const { pathname } = new URL(request.url ?? '/', 'http://validator');
  if (request.method === 'GET' && pathname === '/healthz') {
    const health = { ok: true, validator: signer.address, ...domain, signed: book.count };
    return { status: 200, body: health };
  }
  if (request.method === 'GET' && pathname === '/signed') {
    return { status: 200, body: { count: book.count, latest: book.latest } };
  }
  if (request.method !== 'POST' || pathname !== '/sign') {
    return { status: 404, body: { message: 'POST /sign, GET /healthz and GET /signed are here' } };
  }
  if (isFull) return { status: 503, body: { message: 'too many requests at once' } };
  let asked: unknown;
  try {
    asked = await readBody(request);
    if (!budget.take(request.socket.remoteAddress ?? '', kindOf(asked))) {
      return { status: 429, body: { message: 'too many requests' } };
    }
    const signed = await signer.sign(asked, AbortSignal.timeout(REQUEST_MS_MAX));
    log.info({ asked }, 'signed');
    return { status: 200, body: signedBody(signed) };
  } catch (error) {
    if (!(error instanceof SigningRefusal)) throw error;
    const { message, status } = error;
    log.warn({ asked, why: message }, 'not signed');
    return { status, body: { message } };
  }
}

function kindOf(asked: unknown): Asked {
  const type = typeof asked === 'object' && asked !== null && 'type' in asked ? asked.type : '';
  return type === 'payout' || type === 'cancellation' ? type : 'other';
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > BODY_BYTES_MAX) break;
      parts.push(part);
    }
  } catch {
    throw new SigningRefusal(400, 'the request was cut off');
  }
  if (bytes > BODY_BYTES_MAX) throw new SigningRefusal(413, 'the request is too long');
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new SigningRefusal(400, 'the request is not JSON');
  }
}

function end(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}
