import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from './client.ts';

/**
 * Checks every request to the venue and every response from it against the published descriptions,
 * in both directions. A request that the venue accepts must be valid, and an answer or frame must
 * have all required fields and no others.
 */

const REFERENCE = join(import.meta.dirname, '../../docs/reference');
const documentOf = (name: string): Json =>
  JSON.parse(readFileSync(join(REFERENCE, `${name}.json`), 'utf8'));

export const OPENAPI = documentOf('openapi');
export const ASYNCAPI = documentOf('asyncapi');

const ajv = new Ajv2020({ strict: false, allErrors: false });
ajv.addFormat('decimal', /^(?:-?[0-9]+(?:\.[0-9]+)?)?$/);
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
for (const [name, document] of [
  ['requests', anyCase(OPENAPI)],
  ['answers', exact(OPENAPI)],
  ['subscriptions', anyCase(ASYNCAPI)],
  ['frames', exact(ASYNCAPI)],
] as const) {
  ajv.addSchema({ $id: name, components: document.components });
}

/** Accepts the enum values in requests in any case, as the venue does. */
function anyCase(schema: Json): Json {
  return mapped(schema, (each) => {
    if (each['x-case-insensitive'] !== true) return each;
    const { enum: values, ...rest } = each;
    const letters = values.map((value: string) =>
      value.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`),
    );
    return { ...rest, pattern: `^(?:${letters.join('|')})$` };
  });
}

/** Forbids additional fields in every object that lists its fields. */
function exact(schema: Json): Json {
  return mapped(schema, (each) =>
    each.type === 'object' &&
    each.properties !== undefined &&
    each.additionalProperties === undefined
      ? { ...each, additionalProperties: false }
      : each,
  );
}

/** Applies a change to every object of a document, innermost objects first. */
function mapped(value: Json, change: (each: Json) => Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  const entries = Object.entries(value).map(([key, each]) => [key, mapped(each, change)]);
  return change(Object.fromEntries(entries));
}

function validator(document: string, schema: string): ValidateFunction {
  const found = ajv.getSchema(`${document}#/components/schemas/${schema}`);
  if (found === undefined) throw new Error(`${document} has no schema ${schema}`);
  return found;
}

const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Returns why a value does not match a schema, or undefined if it matches. */
function mismatch(document: string, schema: string, value: Json): string | undefined {
  const validate = validator(document, schema);
  if (validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  const { instancePath, message, params } = error!;
  return `${schema}${instancePath} ${message} ${JSON.stringify(params)} in ${JSON.stringify(value)}`;
}

type Exchange = {
  readonly path: string;
  readonly body: Json;
  readonly status: number;
  readonly reply: Json;
};

/**
 * Returns why an HTTP request or its response contradicts the description, or undefined if it does
 * not.
 */
export function httpMismatch({ path, body, status, reply }: Exchange): string | undefined {
  if (path === '/exchange') {
    if (typeof reply !== 'object') return undefined;
    const isDone = reply.status === 'ok' || reply.status === 'pending';
    const request = isDone ? mismatch('requests', 'ExchangeRequest', body) : undefined;
    const action = isDone
      ? mismatch('requests', `${upper(body.action.type)}Action`, body.action)
      : undefined;
    return (
      request ??
      action ??
      mismatch('answers', status === 202 ? 'PendingReply' : replyName(reply), reply)
    );
  }
  const schemas = schemasOf(path, body);
  if (schemas === undefined || typeof reply !== 'object' || status === 404) return undefined;
  if (reply.success !== true) return mismatch('answers', 'InfoError', reply);
  return (
    mismatch('requests', schemas.request, body) ?? mismatch('answers', schemas.response, reply)
  );
}

function replyName(reply: Json): string {
  if (reply.status === 'err') return 'ExchangeError';
  return reply.data === undefined ? 'QueuedReply' : 'ActionReply';
}

function schemasOf(path: string, body: Json): { request: string; response: string } | undefined {
  if (path === '/info') {
    const name = upper(String(body?.type ?? ''));
    if (OPENAPI.components.schemas[`${name}Query`] === undefined) return undefined;
    return { request: `${name}Query`, response: `${name}Response` };
  }
  if (path === '/account-status' || path === '/account') {
    return { request: 'AccountStatusRequest', response: 'AccountStatusResponse' };
  }
  if (path === '/request-fund')
    return { request: 'RequestFundRequest', response: 'RequestFundResponse' };
  return undefined;
}

const CONTROL: Readonly<Record<string, string>> = {
  subscriptionResponse: 'SubscriptionResponse',
  resync: 'ResyncFrame',
  post: 'PostFrame',
};

/** Returns why a frame from the venue contradicts the description, or undefined if it does not. */
export function frameMismatch(path: string, frame: Json): string | undefined {
  if (typeof frame !== 'object' || frame === null) return undefined;
  if (path === '/ws-rtds') {
    const kind = { update: 'RtdsUpdateFrame', subscribe: 'RtdsDumpFrame', error: 'RtdsErrorFrame' };
    return mismatch('frames', kind[frame.type as keyof typeof kind], frame);
  }
  if (frame.method === 'PONG') return mismatch('frames', 'Pong', frame);
  if (frame.type === 'error') return mismatch('frames', 'WsError', frame);
  if (frame.channel === 'error') return mismatch('frames', 'ApiWsError', frame);
  const subscribed = frame.channel === 'subscriptionResponse' && frame.data.method === 'subscribe';
  const parameters = subscribed
    ? mismatch(
        'subscriptions',
        `${upper(frame.data.subscription.type)}Subscription`,
        frame.data.subscription,
      )
    : undefined;
  return (
    parameters ??
    mismatch('frames', CONTROL[frame.channel] ?? `${upper(frame.channel)}Frame`, frame)
  );
}
