import type { IncomingMessage, ServerResponse } from 'node:http';
import { API_VERSION_HEADER } from '@oddlot/protocol';
import type { Budget } from './rate-limiter.ts';
import { finishAnswer } from '../ports/finish-answer.ts';
import type { WorkLeft } from '../ports/work-budget.ts';
import type { PageAnswer } from './page-answer.ts';

/** Writing an answer with the headers that all answers share. */

type Answer = {
  readonly status: number;
  /** JSON text; empty for none. */
  readonly body: string | Buffer;
  readonly budget: Budget | undefined;
  /** Further headers, name and value in turn. */
  readonly headers: readonly string[];
  /** The connection ends with this answer. */
  readonly isLast: boolean;
  /** Which pages a browser lets read it; undefined where no page asks. */
  readonly allowed: string | undefined;
};

/** Also the date, by which clients of other origins learn how far their clock is off, and how old what they read is. */
const EXPOSED =
  'date, retry-after, x-block-age-ms, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset';

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
  { allowed, status, body, budget, headers: more, isLast }: Answer,
): void {
  const origin = allowed === undefined ? [] : ['access-control-allow-origin', allowed];
  const headers = [...origin, 'access-control-expose-headers', EXPOSED];
  if (body !== '') headers.push('content-type', 'application/json');
  // What a GET of an address is answered with depends on who asks: browsers get the page there.
  if (request.method !== 'POST') headers.push('cache-control', 'no-store', 'vary', 'accept');
  if (budget !== undefined) pushBudget(headers, budget);
  for (const part of more) headers.push(part);
  finishAnswer(request, response, { status, body, headers, isLast });
}

/** Of a page, with the headers that it brings. */
export function respondPage(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, isLast, status }: PageAnswer & { readonly isLast: boolean },
): void {
  const list = Object.entries(headers).flat();
  finishAnswer(request, response, { status, body: body ?? '', headers: list, isLast });
}

/**
 * Of a client's requests and its work, the budget that is closer to its end; work counts in milliseconds. While
 * more than half of it is left it binds nobody, and is not told.
 */
export function closerOf(
  requests: Budget | undefined,
  work: WorkLeft | undefined,
): Budget | undefined {
  if (requests === undefined || work === undefined) return requests;
  const limit = work.msPerSecond;
  const remaining = Math.min(limit, Math.floor(work.remainingMs));
  const isCloser = remaining * requests.limit < requests.remaining * limit;
  if (!isCloser || remaining * 2 > limit) return requests;
  return { limit, windowMs: requests.windowMs, remaining, resetMs: work.resetMs };
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
