import { crc32 } from 'node:zlib';
import type { LoggedCommand } from '@oddlot/replica/block';
import { decodeBlock, proposalOf } from '@oddlot/replica/log/block-codec';

/**
 * A message in the stream. All integers are little-endian: version u8 · kind u8 · crc u32 · time
 * u64 · body
 *
 * `crc` covers everything after it. The body of a block is the format of the replica's journal. The
 * opening is the first message of a stream; its body is JSON that identifies the log and its first
 * block.
 */

const VERSION = 1;
const OPENING = 0;
const BLOCK = 1;
const CRC_OFFSET = 2;
const TIME_OFFSET = 6;
const BODY_OFFSET = 14;
const TWO_POW_32 = 2 ** 32;

/**
 * A stream that was replaced by another one. If `givenUpFrom` is absent, none of its blocks was
 * discarded.
 */
export type FormerStream = { readonly era: string; readonly givenUpFrom?: number | undefined };

export type StreamOpening = {
  readonly serviceNetwork: string;
  /** The number of the first block after the opening. */
  readonly firstSeq: number;
  /** An id that is new each time the stream is written from the start. */
  readonly era: string;
  /** The streams that this one replaced, oldest first, each with its first discarded block. */
  readonly former?: readonly FormerStream[];
  /**
   * The last block that is written from a folder. A shorter stream is unfinished and must not be
   * continued.
   */
  readonly lastSeq?: number;
};

/** A block as sent by its proposer. Its number is determined by its position in the stream. */
type BlockMessage = {
  readonly proposal: string;
  /** The time according to the proposer's clock. */
  readonly timeMs: number;
  /** The block as encoded by `BlockBuffer`, including the proposal id. */
  readonly encoded: Buffer;
};

/**
 * Thrown if this program does not support the format of the message, which may have been written by
 * a later release.
 */
class StreamMessageError extends Error {
  override readonly name = 'StreamMessageError';
}

export function encodeBlockMessage(timeMs: number, encoded: Uint8Array): Buffer {
  return encode(BLOCK, timeMs, encoded);
}

export function encodeOpening(timeMs: number, opening: StreamOpening): Buffer {
  return encode(OPENING, timeMs, Buffer.from(JSON.stringify(opening)));
}

export function decodeBlockMessage(data: Uint8Array): BlockMessage {
  const { body, timeMs } = decode(BLOCK, data);
  const proposal = proposalOf(body);
  if (proposal === undefined)
    throw new StreamMessageError('a block message lacks the name of its proposal');
  return { proposal, timeMs, encoded: body };
}

export function commandsOf(encoded: Buffer): readonly LoggedCommand[] {
  return decodeBlock(encoded, { start: 0, end: encoded.length, withRequests: true }).commands;
}

export function decodeOpening(data: Uint8Array): StreamOpening {
  return JSON.parse(decode(OPENING, data).body.toString('utf8')) as StreamOpening;
}

function encode(kind: number, timeMs: number, body: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(BODY_OFFSET + body.length);
  bytes[0] = VERSION;
  bytes[1] = kind;
  bytes.writeUInt32LE(timeMs % TWO_POW_32, TIME_OFFSET);
  bytes.writeUInt32LE(Math.floor(timeMs / TWO_POW_32), TIME_OFFSET + 4);
  bytes.set(body, BODY_OFFSET);
  bytes.writeUInt32LE(crc32(bytes.subarray(TIME_OFFSET)), CRC_OFFSET);
  return bytes;
}

function decode(
  kind: number,
  data: Uint8Array,
): { readonly body: Buffer; readonly timeMs: number } {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.length < BODY_OFFSET)
    throw new StreamMessageError(`too short for a message: ${bytes.length} bytes`);
  if (bytes[0] !== VERSION) {
    throw new StreamMessageError(
      `the message has version ${bytes[0]}, but this release reads ${VERSION}`,
    );
  }
  if (bytes.readUInt32LE(CRC_OFFSET) !== crc32(bytes.subarray(TIME_OFFSET))) {
    throw new StreamMessageError('the checksum of a message is wrong');
  }
  if (bytes[1] !== kind)
    throw new StreamMessageError(`the message has kind ${bytes[1]} instead of ${kind}`);
  const timeMs = bytes.readUInt32LE(TIME_OFFSET) + bytes.readUInt32LE(TIME_OFFSET + 4) * TWO_POW_32;
  return { body: bytes.subarray(BODY_OFFSET), timeMs };
}

/** The opening is the first message of a stream; blocks are stored after it without gaps. */
export const OPENING_PLACE = 1;

export function placeOf({ firstSeq }: StreamOpening, seq: number): number {
  return seq - firstSeq + OPENING_PLACE + 1;
}

export function seqOf({ firstSeq }: StreamOpening, place: number): number {
  return firstSeq + place - OPENING_PLACE - 1;
}
