/**
 * Frames as bytes. A data frame goes to many sockets and differs between them only in `sub`, so its
 * JSON text is built once, open at the end, and closed per subscription number.
 */

const FIN_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** A whole WebSocket text frame of a body and an ASCII ending. */
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

/** A ping without content. */
export const PING_FRAME = Buffer.from([0x89, 0]);

/** The answer to a ping, which carries what the ping carried; control frames are short. */
export function pongFrame(data: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(2 + data.length);
  frame[0] = FIN_PONG;
  frame[1] = data.length;
  data.copy(frame, 2);
  return frame;
}

/** A frame of a value. */
export function jsonFrame(value: unknown): Buffer {
  return textFrame(Buffer.from(JSON.stringify(value)));
}

/** What a data frame says beside its data. */
export type FrameParts = {
  readonly channel: string;
  /** JSON text. */
  readonly data: string;
  readonly seq: number;
  /** The block that the data reflect; user channels only. */
  readonly height?: number | undefined;
  readonly isSnapshot?: boolean | undefined;
};

/** The text of a data frame up to its subscription number. */
export function openBody(parts: FrameParts): Buffer {
  const snapshot = parts.isSnapshot === true ? ',"isSnapshot":true' : '';
  const height = parts.height === undefined ? '' : `,"height":${parts.height}`;
  return Buffer.from(
    `{"channel":"${parts.channel}","data":${parts.data}${snapshot},"seq":${parts.seq}${height}`,
  );
}

/** Closes an open body for one subscription. */
export function closeBody(body: Buffer, sub: number): Buffer {
  return textFrame(body, `,"sub":${sub}}`);
}
