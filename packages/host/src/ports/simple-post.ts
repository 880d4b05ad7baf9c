import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { API_VERSION, API_VERSION_HEADER } from '@oddlot/protocol';
import { systemTime } from '../clock.ts';
import type { FinishedAnswer } from './read-body.ts';

/**
 * Reads POST requests from common clients without the runtime's parser, whose objects and events
 * take most of the CPU time of a short request. A request that is incomplete or unusual in any way
 * is left to the runtime, so that requests are refused in a single place.
 */

export type SimplePost = {
  readonly path: string;
  readonly host: string;
  /** The body, which is valid UTF-8. */
  readonly body: Buffer;
  /** The number of bytes of the head and the body. */
  readonly bytes: number;
};

/** Heads longer than this are left to the runtime. */
const HEAD_BYTES_MAX = 1024;
const END_OF_HEAD = '\r\n\r\n';

const REQUEST_LINE = /^POST (\/[a-z-]*) HTTP\/1\.1\r\n/;
const HEADER_LINE = /([A-Za-z-]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\r\n/y;
const LENGTH = /^[0-9]{1,8}$/;

/**
 * The only accepted values for headers that have an effect. A request with any other value is left
 * to the runtime.
 */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['content-type', 'application/json'],
  ['connection', 'keep-alive'],
  [API_VERSION_HEADER, API_VERSION],
]);

/** These headers have no effect on the response to a POST. */
const IGNORED: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'pragma',
  'sec-fetch-mode',
  'user-agent',
]);

/** Returns the request at the start of the bytes, or undefined if the runtime must read it. */
export function readSimplePost(bytes: Buffer): SimplePost | undefined {
  const text = bytes.toString('latin1', 0, HEAD_BYTES_MAX);
  const headEnd = text.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
  if (headEnd < END_OF_HEAD.length) return undefined;
  const head = headOf(text.slice(0, headEnd - 2));
  if (head === undefined) return undefined;
  const end = headEnd + head.length;
  if (bytes.length < end) return undefined;
  const body = bytes.subarray(headEnd, end);
  return isUtf8(body) ? { path: head.path, host: head.host, body, bytes: end } : undefined;
}

type Head = { readonly path: string; readonly host: string; readonly length: number };

/** Clients send the same few heads over and over; they differ only in the length of the body. */
const HEADS_MAX = 500;
const heads = new Map<string, Head>();

function headOf(lines: string): Head | undefined {
  const known = heads.get(lines);
  if (known !== undefined) return known;
  const head = readHead(lines);
  if (head === undefined) return undefined;
  if (heads.size === HEADS_MAX) heads.clear();
  heads.set(lines, head);
  return head;
}

/** Reads a request line and header lines; no header may occur twice. */
function readHead(lines: string): Head | undefined {
  const request = REQUEST_LINE.exec(lines);
  if (request === null) return undefined;
  const [line, path = ''] = request;
  const seen = new Map<string, string>();
  HEADER_LINE.lastIndex = line.length;
  for (let end = line.length; end < lines.length; end = HEADER_LINE.lastIndex) {
    const [, given = '', value = ''] = HEADER_LINE.exec(lines) ?? [];
    const name = given.toLowerCase();
    const isKnown =
      name === 'host' ||
      (name === 'content-length' && LENGTH.test(value)) ||
      EXPECTED.get(name) === value ||
      IGNORED.has(name);
    if (!isKnown || seen.has(name)) return undefined;
    seen.set(name, value);
  }
  const host = seen.get('host');
  const length = seen.get('content-length');
  return host === undefined || length === undefined
    ? undefined
    : { path, host, length: Number(length) };
}

/** The module is not imported, because that would take long; see `http-port.ts`. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Returns the name of a status, which is empty for an unknown one. */
export function statusText(status: number): string {
  return STATUS_CODES[status] ?? '';
}

/** Sends a complete response, byte for byte as the runtime would. */
export function sendAnswer(
  socket: Socket,
  { body, headers, isLast, status }: FinishedAnswer,
  keepAliveSeconds: number,
): void {
  const length = Buffer.byteLength(body);
  let head = `HTTP/1.1 ${status} ${statusText(status)}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  head += `content-length: ${length}\r\n`;
  if (isLast) head += 'connection: close\r\n';
  head += `Date: ${httpDate()}\r\n`;
  if (!isLast) head += `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n`;
  head += '\r\n';
  if (typeof body === 'string') {
    // A string with as many bytes as characters is ASCII, which is faster to write.
    socket.write(head + body, length === body.length ? 'latin1' : 'utf8');
  } else {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }
  if (isLast) socket.destroySoon();
}

let dateText = '';
let dateSecond = 0;

/** Returns the current second in the format of the `Date` header. */
function httpDate(): string {
  const ms = systemTime.wallMs();
  const second = Math.floor(ms / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(ms).toUTCString();
  }
  return dateText;
}
