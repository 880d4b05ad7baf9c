import type { OrderBlock } from '@oddlot/engine';
import { decodeColumns, encodeColumns, padded, upToEight } from './column-block.ts';
import { jsonPieces } from './json-pieces.ts';
import type { PackedPayload, SnapshotPayload } from './snapshot-payload.ts';

/**
 * What a snapshot holds, as bytes: one frame after the other. A frame is its kind and its length, both uint32 little-endian,
 * its bytes, and zeros up to a multiple of eight. The frames of text are together the JSON of all but the orders, of
 * which each frame of its kind has a block, and of what the projections dumped: a frame of that is a name, its length (uint32) in
 * front, and JSON, which goes on in the next frame of that name. The first snapshots had them in the text.
 */

const TEXT = 1;
const ORDERS = 2;
const PROJECTION = 3;
const FRAME_HEAD_BYTES = 8;
const NAME_LENGTH_BYTES = 4;

/** In pieces none of which takes long to make; the state must stand still until the last one. */
export function* encodeSnapshot(payload: PackedPayload): Generator<Buffer> {
  const { orders, ...state } = payload.state;
  const rest = { ...payload, state, companions: {} };
  for (const piece of jsonPieces(rest)) yield frame(TEXT, Buffer.from(piece));
  for (const [name, data] of Object.entries(payload.companions)) {
    for (const piece of jsonPieces(data)) yield frame(PROJECTION, named(name, piece));
  }
  for (const block of orders) yield frame(ORDERS, encodeColumns(block));
}

/** Throws where the bytes are of another shape. */
export function decodeSnapshot(bytes: Buffer): SnapshotPayload {
  const texts: Buffer[] = [];
  const orders: OrderBlock[] = [];
  const dumps = new Map<string, Buffer[]>();
  for (const { content, kind } of framesOf(bytes)) {
    if (kind === TEXT) texts.push(content);
    else if (kind === ORDERS) orders.push(decodeColumns(content) as OrderBlock);
    else if (kind === PROJECTION) addNamed(dumps, content);
    else throw new Error(`a frame of the kind ${kind}`);
  }
  const payload = parse(texts) as PackedPayload;
  for (const [name, parts] of dumps) readLater(payload.companions, name, parts);
  return { ...payload, state: { ...payload.state, orders } };
}

/** When it is asked for: a thread needs some of them, and what the history remembers of a million orders takes long. */
function readLater(dumps: object, name: string, parts: readonly Buffer[]): void {
  let data: unknown;
  Object.defineProperty(dumps, name, {
    enumerable: true,
    get: () => (data ??= parse(parts)),
  });
}

function parse(texts: readonly Buffer[]): unknown {
  return JSON.parse(Buffer.concat(texts).toString());
}

function named(name: string, text: string): Buffer {
  const length = Buffer.alloc(NAME_LENGTH_BYTES);
  length.writeUInt32LE(Buffer.byteLength(name));
  return Buffer.concat([length, Buffer.from(name + text)]);
}

function addNamed(dumps: Map<string, Buffer[]>, content: Buffer): void {
  const end = NAME_LENGTH_BYTES + content.readUInt32LE();
  const name = content.toString('utf8', NAME_LENGTH_BYTES, end);
  const part = content.subarray(end);
  const parts = dumps.get(name);
  if (parts === undefined) dumps.set(name, [part]);
  else parts.push(part);
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
