import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyHold, BodyRefusal } from './body-budget.ts';

/** Functions that read bodies of limited size and respond to clients that are still sending. */

export type BodyFault = 'tooLarge' | 'notUtf8' | BodyRefusal;

export type BodyBounds = {
  readonly bytesMax: number;
  /**
   * Returns a different size limit for a body that begins with these bytes. Called once, when
   * `bytesMax` is reached.
   */
  readonly bytesMaxOf?: (start: Buffer) => number;
  readonly hold?: BodyHold;
};

/** The initial buffer size for a body that arrives in several pieces. */
const BUFFER_BYTES_MIN = 4 * 1024;

/**
 * Collects a body. Calls back once, and never if the client disconnects. Pieces are copied into one
 * buffer as they arrive, because otherwise a client sending single bytes would cause an object to
 * be created for each.
 */
export function readBody(
  request: IncomingMessage,
  { bytesMax, bytesMaxOf, hold }: BodyBounds,
  done: (body: { readonly text: string; readonly bytes: number } | BodyFault) => void,
): void {
  const declared = Number.parseInt(request.headers['content-length'] ?? '0', 10);
  let limit = bytesMax;
  let isLimitFinal = bytesMaxOf === undefined;
  let buffer: Buffer = EMPTY;
  let bytes = 0;
  const end = (body: { text: string; bytes: number } | BodyFault): void => {
    request.off('data', onData);
    request.off('end', onEnd);
    buffer = EMPTY;
    hold?.read();
    done(body);
  };
  const onData = (chunk: Buffer): void => {
    const total = bytes + chunk.length;
    if (total > limit && !isLimitFinal) {
      isLimitFinal = true;
      limit = Math.max(limit, bytesMaxOf?.(Buffer.concat([buffer.subarray(0, bytes), chunk])) ?? 0);
    }
    if (total > limit) return end('tooLarge');
    if (total > buffer.length) {
      const isWhole = bytes === 0 && total === declared;
      const capacity = Math.max(
        total,
        Math.min(limit, Math.max(BUFFER_BYTES_MIN, buffer.length * 2)),
      );
      const refused = hold?.grow((isWhole ? total : capacity) - buffer.length);
      if (refused !== undefined) return end(refused);
      const grown = isWhole ? chunk : Buffer.allocUnsafeSlow(capacity);
      if (!isWhole) buffer.copy(grown, 0, 0, bytes);
      buffer = grown;
    }
    if (buffer !== chunk) chunk.copy(buffer, bytes);
    bytes = total;
  };
  const onEnd = (): void => {
    const whole = buffer.subarray(0, bytes);
    if (isUtf8(whole)) end({ text: whole.toString('utf8'), bytes });
    else end('notUtf8');
  };
  request.on('data', onData);
  request.on('end', onEnd);
}

const EMPTY = Buffer.alloc(0);

/** Up to this many remaining bytes are read and discarded, so that the connection can be reused. */
const DROPPED_BYTES_MAX = 4 * 1024 * 1024;
/**
 * How long a client that is still sending has to read the response before the connection is closed.
 */
const LINGER_MS = 1000;

/** Returns true if the rest of the body is known to be short enough to discard. */
function canDropRest(request: IncomingMessage): boolean {
  if (request.complete) return true;
  const length = request.headers['content-length'];
  if (length !== undefined) return Number.parseInt(length, 10) <= DROPPED_BYTES_MAX;
  return request.headers['transfer-encoding'] === undefined;
}

/**
 * Ends a response on a connection that will be closed while the client is still sending. Closing
 * immediately would reset the connection and lose the response, so what remains is read for a
 * moment.
 */
function endLingering(request: IncomingMessage, response: ServerResponse): void {
  let bytes = 0;
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DROPPED_BYTES_MAX) end();
  });
  request.once('end', end);
  request.once('close', end);
  request.resume();
}

export type FinishedAnswer = {
  readonly status: number;
  /** The response body, which is empty for a response without one. */
  readonly body: string | Buffer;
  /** The headers as alternating names and values. */
  readonly headers: readonly string[];
  /** True if the connection closes after this response. */
  readonly isLast: boolean;
};

/** Sends a complete response, even to a client that is still sending. */
export function finishAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers: given, isLast, status }: FinishedAnswer,
): void {
  const headers = [...given];
  // A 204 response has no body, and a 304 response does not give the length of the cached one.
  if (status !== 204 && status !== 304) {
    headers.push('content-length', String(Buffer.byteLength(body)));
  }
  const isClosing = isLast || !canDropRest(request);
  if (isClosing) headers.push('connection', 'close');
  response.writeHead(status, headers);
  const sent = request.method === 'HEAD' ? '' : body;
  if (!isClosing || request.complete) {
    response.end(sent);
    return;
  }
  if (sent === '') response.flushHeaders();
  else response.write(sent);
  endLingering(request, response);
}
