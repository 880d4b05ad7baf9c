import type { IncomingMessage } from 'node:http';
import { API_VERSION, API_VERSION_HEADER, LIMITS, refusal, type WireError } from '@oddlot/protocol';
import { tooLarge, wrongContentType, type Endpoint } from './reply.ts';

/** What the line and the headers of a request say, before any of its body is read. */

export const WEBSOCKET_PATHS: ReadonlySet<string> = new Set(['/ws', '/api-ws', '/ws-rtds']);

/** Endpoints that take POST alone, and are screens of the page for who opens them in a browser. */
export const SCREEN_PATHS: ReadonlySet<string> = new Set(['/account']);

export function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '/';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** What stands behind the question mark. */
export function parametersOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '/';
  const query = url.indexOf('?');
  return new URLSearchParams(query < 0 ? '' : url.slice(query + 1));
}

/** True for a handshake that one of the socket paths should see. */
export function isWebSocket(request: IncomingMessage): boolean {
  const isAsked = request.headers.upgrade?.toLowerCase() === 'websocket';
  return isAsked && WEBSOCKET_PATHS.has(pathOf(request));
}

export function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
}

/** Why the headers alone are enough to refuse a request; undefined when they are not. */
export function headerFault(
  { headers }: IncomingMessage,
  bodyBytesMax: number,
  { bodyBytesMaxOf }: Pick<Endpoint, 'bodyBytesMaxOf'>,
): WireError | undefined {
  const contentType = headers['content-type'];
  if (contentType !== undefined && !isJson(contentType)) return wrongContentType(contentType);
  const length = headers['content-length'];
  const declaredMax =
    bodyBytesMaxOf === undefined
      ? bodyBytesMax
      : Math.max(bodyBytesMax, LIMITS.permissionedBodyBytesMax);
  if (length !== undefined && Number.parseInt(length, 10) > declaredMax) {
    return tooLarge(bodyBytesMax);
  }
  const version = headers[API_VERSION_HEADER];
  if (version === undefined || version === API_VERSION) return undefined;
  const got = String(version);
  const details = { field: API_VERSION_HEADER, got, allowed: [API_VERSION] };
  return refusal('unsupportedVersion', [got], details);
}

function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const type = contentType.split(';', 1)[0] ?? '';
  return type.trim().toLowerCase() === 'application/json';
}
