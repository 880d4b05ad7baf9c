import type { IncomingMessage, ServerResponse } from 'node:http';
import { API_VERSION_HEADER } from '@oddlot/protocol';
import type { Budget } from '../rate-limit.ts';
import { canDropRest, endLingering } from './body.ts';

/** Writing an answer with the headers that all answers share. */

export type Answer = {
  readonly status: number;
  /** JSON text; empty for none. */
  readonly body: string | Buffer;
  readonly budget: Budget | undefined;
  /** Further headers, name and value in turn. */
  readonly headers: readonly string[];
  /** The connection ends with this answer. */
  readonly isLast: boolean;
};

/** Also the date, by which clients of other origins learn how far their clock is off. */
const EXPOSED = 'date, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset';

/** What a browser asks before a page of another origin may post here. */
export const PREFLIGHT_HEADERS: readonly string[] = [
  'access-control-allow-methods',
  'POST',
  'access-control-allow-headers',
  `content-type, ${API_VERSION_HEADER}`,
  'access-control-max-age',
  '86400',
];

export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, budget, headers: more, isLast }: Answer,
): void {
  const headers = ['access-control-allow-origin', '*', 'access-control-expose-headers', EXPOSED];
  if (body !== '') headers.push('content-type', 'application/json');
  // A 204 has no body at all, not an empty one.
  if (status !== 204) headers.push('content-length', String(Buffer.byteLength(body)));
  if (budget !== undefined) pushBudget(headers, budget);
  for (const part of more) headers.push(part);
  const isClosing = isLast || !canDropRest(request);
  if (isClosing) headers.push('connection', 'close');
  response.writeHead(status, headers);
  if (!isClosing || request.complete) {
    response.end(body);
    return;
  }
  if (body !== '') response.write(body);
  else response.flushHeaders();
  endLingering(request, response);
}

export function pushBudget(headers: string[], { limit, remaining, resetMs }: Budget): void {
  headers.push(
    'x-ratelimit-limit',
    String(limit),
    'x-ratelimit-remaining',
    String(remaining),
    'x-ratelimit-reset',
    String(Math.ceil(resetMs / 1000)),
  );
}
