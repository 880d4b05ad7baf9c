import type { OrderBlock } from '@oddlot/engine';
import { decodeColumns, encodeColumns, padded, upToEight } from './column-block.ts';
import { jsonPieces } from './json-pieces.ts';
import type { PackedPayload, SnapshotPayload } from './snapshot-payload.ts';

/**
 * What a snapshot holds, as bytes: one frame after the other. A frame is its kind and its length, both uint32 little-endian,
 * its bytes, and zeros up to a multiple of eight. The frames of text are together the JSON of all but the orders, of
 * which each other frame has a block.
 */

const TEXT = 1;
const ORDERS = 2;
const FRAME_HEAD_BYTES = 8;

/** In pieces none of which takes long to make; the state must stand still until the last one. */
export function* encodeSnapshot(payload: PackedPayload): Generator<Buffer> {
  const { orders, ...state } = payload.state;
  for (const piece of jsonPieces({ ...payload, state })) yield frame(TEXT, Buffer.from(piece));
  for (const block of orders) yield frame(ORDERS, encodeColumns(block));
}

/** Throws where the bytes are of another shape. */
export function decodeSnapshot(bytes: Buffer): SnapshotPayload {
  const texts: Buffer[] = [];
  const orders: OrderBlock[] = [];
  for (const { content, kind } of framesOf(bytes)) {
    if (kind === TEXT) texts.push(content);
    else if (kind === ORDERS) orders.push(decodeColumns(content) as OrderBlock);
    else throw new Error(`a frame of the kind ${kind}`);
  }
  const payload = JSON.parse(Buffer.concat(texts).toString()) as PackedPayload;
  return { ...payload, state: { ...payload.state, orders } };
}

function frame(kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUInt32LE(kind, 0);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, ...padded(content)]);
}

function* framesOf(bytes: Buffer): Generator<{ readonly kind: number; readonly content: Buffer }> {
  let from = 0;
  while (from < bytes.length) {
    const kind = bytes.readUInt32LE(from);
    const start = from + FRAME_HEAD_BYTES;
    const end = start + bytes.readUInt32LE(from + 4);
    if (end > bytes.length) throw new RangeError('a frame ends beyond the snapshot');
    yield { kind, content: bytes.subarray(start, end) };
    from = upToEight(end);
  }
}
