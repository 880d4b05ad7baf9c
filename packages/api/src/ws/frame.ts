import {
  checkJson,
  type Details,
  jsonRefusal,
  type ResumePoint,
  type ScanFault,
  type StreamErrorCode,
} from '@oddlot/protocol';

/**
 * The data frames of one event differ only in `sub` between subscribers. Their JSON text is
 * therefore built once without its ending, which is added for each subscription number.
 */

const FIN_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Builds a complete, unmasked WebSocket text frame from a body and an ASCII ending. */
export function textFrame(body: Buffer, ending = ''): Buffer {
  const length = body.length + ending.length;
  const headerLength = length < LENGTH_16 ? 2 : length < 0x1_0000 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerLength + length);
  frame[0] = FIN_TEXT;
  if (headerLength === 2) {
    frame[1] = length;
  } else if (headerLength === 4) {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_64;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(length, 6);
  }
  body.copy(frame, headerLength);
  if (ending !== '') frame.write(ending, headerLength + body.length, 'latin1');
  return frame;
}

const FIN_PONG = 0x8a;

export const PING_FRAME = Buffer.from([0x89, 0]);

/**
 * Builds the pong that echoes the payload of a ping. The payload of a control frame is at most 125
 * bytes long, so its length fits into one byte.
 */
export function pongFrame(data: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(2 + data.length);
  frame[0] = FIN_PONG;
  frame[1] = data.length;
  data.copy(frame, 2);
  return frame;
}

export function jsonFrame(value: unknown): Buffer {
  return textFrame(Buffer.from(JSON.stringify(value)));
}

export type FrameParts = {
  readonly channel: string;
  /** The content as JSON text. */
  readonly data: string;
  readonly seq: number;
  /** The block the data belong to. Only some channels report it. */
  readonly height?: number | undefined;
  readonly isSnapshot?: boolean | undefined;
};

/** Builds the text of a data frame up to its subscription number. */
export function openBody(parts: FrameParts): Buffer {
  const snapshot = parts.isSnapshot === true ? ',"isSnapshot":true' : '';
  const height = parts.height === undefined ? '' : `,"height":${parts.height}`;
  return Buffer.from(
    `{"channel":"${parts.channel}","data":${parts.data}${snapshot},"seq":${parts.seq}${height}`,
  );
}

/** Completes the text of a data frame with a subscription number. */
export function closeBody(body: Buffer, sub: number): Buffer {
  return textFrame(body, `,"sub":${sub}}`);
}

/** A control frame sent by a client on /ws or /api-ws. */
export type Control = {
  readonly method: string;
  readonly frame: Readonly<Record<string, unknown>>;
};

export const INVALID_FRAME: WsError = {
  code: 'INVALID_FRAME',
  message: 'A frame must be a JSON object with method subscribe, unsubscribe or ping',
};

export const INVALID_RESUME: WsError = {
  code: 'INVALID_PARAMS',
  message:
    'resumeFrom is { epoch, seq } or { height }; seq and height are whole numbers, 0 or more',
};

export const INVALID_POST: WsError = {
  code: 'INVALID_PARAMS',
  message: 'A post needs an id: a whole number, 0 or more, of no other unanswered post',
};

export function readControl(text: string): Control | WsError {
  const checked = checkJson(text);
  if (!checked.ok) return unreadable(text, checked);
  const frame: unknown = JSON.parse(text);
  if (!isRecord(frame) || typeof frame['method'] !== 'string') return INVALID_FRAME;
  return { method: frame['method'], frame };
}

/**
 * If the text is JSON that violates the strict rules, returns the reason; otherwise reports that
 * the text is not a valid frame.
 */
function unreadable(text: string, fault: ScanFault): WsError {
  const { message } = jsonRefusal(text, fault);
  const isJson = !message.startsWith('Malformed');
  return isJson ? { code: 'INVALID_FRAME', message } : INVALID_FRAME;
}

/** Reads the position at which a client resumes: a stream's frame number or a block height. */
export function readResumeFrom(value: unknown): ResumePoint | undefined | 'invalid' {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) return 'invalid';
  const { epoch, height, seq } = value;
  if (height !== undefined) {
    // A height together with a frame number would be ambiguous.
    const isAlone = epoch === undefined && seq === undefined;
    return isAlone && isCount(height) ? { height } : 'invalid';
  }
  return typeof epoch === 'string' && isCount(seq) ? { epoch, seq } : 'invalid';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type Endpoint = 'ws' | 'apiWs' | 'wsRtds';

export type WsError = {
  readonly code: StreamErrorCode;
  readonly message: string;
  /** Present if the frame itself is valid: the client can resend it after this time. */
  readonly retryAfterMs?: number;
  /** The details of refused parameters. They are omitted on /ws-rtds. */
  readonly details?: Details;
  /** The refused subscription as received. */
  readonly subscription?: unknown;
};

/** Formats an error for its endpoint. Only /ws-rtds includes the topic. */
export function errorFrame(endpoint: Endpoint, error: WsError, topic = ''): Buffer {
  const { code, message, subscription } = error;
  switch (endpoint) {
    case 'ws':
      return jsonFrame({ type: 'error', ...error });
    case 'apiWs':
      return jsonFrame({ channel: 'error', data: error });
    case 'wsRtds':
      return jsonFrame({ topic, type: 'error', payload: { message, code, subscription } });
  }
}

export const RATE_LIMITED: WsError = {
  code: 'RISK_RATE_LIMITED',
  message: 'rate limit exceeded',
};
