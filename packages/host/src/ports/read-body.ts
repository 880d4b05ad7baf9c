import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyHold, BodyRefusal } from './body-budget.ts';

/** Reading bodies that may be too large, and answering clients that still send. */

/** Why a body was not read. */
export type BodyFault = 'tooLarge' | 'notUtf8' | BodyRefusal;

export type BodyBounds = {
  readonly bytesMax: number;
  /** A body that begins like this one may have this many bytes instead; asked once, at `bytesMax`. */
  readonly bytesMaxOf?: (start: Buffer) => number;
  /** What it takes from the budget of all bodies. */
  readonly hold?: BodyHold;
};

/** The first piece of a body that is not the last: room for what will follow is made at once. */
const ROOM_BYTES_MIN = 4 * 1024;

/**
 * Collects a body. Calls back once; never when the client goes away. Pieces are copied together as
 * they come: a client that sends single bytes would else hold an object for each of them.
 */
export function readBody(
  request: IncomingMessage,
  { bytesMax, bytesMaxOf, hold }: BodyBounds,
  done: (body: { readonly text: string; readonly bytes: number } | BodyFault) => void,
): void {
  const declared = Number.parseInt(request.headers['content-length'] ?? '0', 10);
  let limit = bytesMax;
  let isLimitFinal = bytesMaxOf === undefined;
  let kept: Buffer = EMPTY;
  let bytes = 0;
  const end = (body: { text: string; bytes: number } | BodyFault): void => {
    request.off('data', onData);
    request.off('end', onEnd);
    kept = EMPTY;
    hold?.read();
    done(body);
  };
  const onData = (chunk: Buffer): void => {
    const total = bytes + chunk.length;
    if (total > limit && !isLimitFinal) {
      isLimitFinal = true;
      limit = Math.max(limit, bytesMaxOf?.(Buffer.concat([kept.subarray(0, bytes), chunk])) ?? 0);
    }
    if (total > limit) return end('tooLarge');
    if (total > kept.length) {
      const isWhole = bytes === 0 && total === declared;
      const room = Math.max(total, Math.min(limit, Math.max(ROOM_BYTES_MIN, kept.length * 2)));
      const refused = hold?.grow((isWhole ? total : room) - kept.length);
      if (refused !== undefined) return end(refused);
      const grown = isWhole ? chunk : Buffer.allocUnsafeSlow(room);
      if (!isWhole) kept.copy(grown, 0, 0, bytes);
      kept = grown;
    }
    if (kept !== chunk) chunk.copy(kept, bytes);
    bytes = total;
  };
  const onEnd = (): void => {
    const whole = kept.subarray(0, bytes);
    if (isUtf8(whole)) end({ text: whole.toString('utf8'), bytes });
    else end('notUtf8');
  };
  request.on('data', onData);
  request.on('end', onEnd);
}

const EMPTY = Buffer.alloc(0);

/** A rest of up to this many bytes is read and dropped, so that the connection can be kept. */
const DROPPED_BYTES_MAX = 4 * 1024 * 1024;
/** How long a client that sends more gets to read the answer before the connection ends. */
const LINGER_MS = 1000;

/** True when what the client still sends is known to be short enough to be read and dropped. */
function canDropRest(request: IncomingMessage): boolean {
  if (request.complete) return true;
  const length = request.headers['content-length'];
  if (length !== undefined) return Number.parseInt(length, 10) <= DROPPED_BYTES_MAX;
  return request.headers['transfer-encoding'] === undefined;
}

/**
 * Ends a response on a connection that will close while the client still sends. Closing at once
 * would reset the connection and take the answer with it, so the rest is read for a moment.
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

type FinishedAnswer = {
  readonly status: number;
  /** Empty for none. */
  readonly body: string | Buffer;
  /** Name and value in turn. */
  readonly headers: readonly string[];
  /** The connection ends with this answer. */
  readonly isLast: boolean;
};

/** Sends an answer as a whole, also to a client that still sends. */
export function finishAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers: given, isLast, status }: FinishedAnswer,
): void {
  const headers = [...given];
  // A 204 has no body at all, not an empty one; and a 304 says nothing about the one that is kept.
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
