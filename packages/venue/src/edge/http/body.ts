import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkJson, jsonRefusal, refusal, type WireError } from '@oddlot/protocol';

/** Reading bodies that may be too large, and answering clients that still send. */

/** Why a body was not read. */
export type BodyFault = 'tooLarge' | 'notUtf8';

/** Collects a body of at most `bytesMax`. Calls back once; never when the client goes away. */
export function readBody(
  request: IncomingMessage,
  bytesMax: number,
  done: (text: string | undefined, fault?: BodyFault) => void,
): void {
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      request.off('data', onData);
      request.off('end', onEnd);
      done(undefined, 'tooLarge');
    } else if (first === undefined) {
      first = chunk;
    } else {
      (more ??= [first]).push(chunk);
    }
  };
  const onEnd = (): void => {
    const whole = more === undefined ? first : Buffer.concat(more, bytes);
    if (whole === undefined) done('');
    else if (isUtf8(whole)) done(whole.toString('utf8'));
    else done(undefined, 'notUtf8');
  };
  request.on('data', onData);
  request.on('end', onEnd);
}

type ParsedObject =
  | { readonly ok: true; readonly body: Record<string, unknown> }
  | { readonly ok: false; readonly error: WireError };

/** Reads a text as an object; strictly means without repeated keys and odd numbers. */
export function parseObject(text: string, isStrict: boolean): ParsedObject {
  const value = parseJson(text);
  if (value === undefined || isStrict) {
    const checked = checkJson(text);
    if (!checked.ok) {
      return { ok: false, error: jsonRefusal(text, checked) };
    }
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { ok: true, body: value as Record<string, unknown> };
  }
  return { ok: false, error: refusal('notAnObject', []) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The strict reader says why and where in words that do not depend on the runtime.
    return undefined;
  }
}

/** A rest of up to this many bytes is read and dropped, so that the connection can be kept. */
const DROPPED_BYTES_MAX = 4 * 1024 * 1024;
/** How long a client that sends more gets to read the answer before the connection ends. */
const LINGER_MS = 1000;

/** True when what the client still sends is known to be short enough to be read and dropped. */
export function canDropRest(request: IncomingMessage): boolean {
  if (request.complete) return true;
  const length = request.headers['content-length'];
  if (length !== undefined) return Number.parseInt(length, 10) <= DROPPED_BYTES_MAX;
  return request.headers['transfer-encoding'] === undefined;
}

/**
 * Ends a response on a connection that will close while the client still sends. Closing at once
 * would reset the connection and take the answer with it, so the rest is read for a moment.
 */
export function endLingering(request: IncomingMessage, response: ServerResponse): void {
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
