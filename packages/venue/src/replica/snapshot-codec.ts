import type { OrderBlock } from '@oddlot/engine';
import { type Hash, hash } from '@oddlot/units';
import { createKeccak, type IHasher } from 'hash-wasm';
import { decodeColumns, encodeColumns, padded, upToEight } from './column-block.ts';
import { jsonPieces } from './json-pieces.ts';
import type { PackedPayload, SnapshotPayload } from './snapshot-payload.ts';

/**
 * What a snapshot holds, as bytes: one frame after the other. A frame is its kind and its length, both uint32 little-endian,
 * its bytes, and zeros up to a multiple of eight. The frames of text are together the JSON of the head and the hashes before it;
 * those of state the JSON of the state but for its orders, of which each frame of that kind has a block; and a frame of what a
 * projection dumped is a name, its length (uint32) in front, and JSON, which continues in the next frame of that name.
 * Snapshots of release 0.3.0 have the state in the text.
 *
 * The frames of state and orders are the content that the log attests. They follow from the state alone, so
 * replicas that have the same state write the same bytes.
 */

const TEXT = 1;
const ORDERS = 2;
const PROJECTION = 3;
const STATE = 4;
const FRAME_HEAD_BYTES = 8;
const NAME_LENGTH_BYTES = 4;

/** In pieces none of which takes long to make; the state must stand still until the last one. */
export function* encodeSnapshot(payload: PackedPayload): Generator<Buffer> {
  const { orders, ...state } = payload.state;
  const rest = { ...payload, state: {}, companions: {} };
  for (const piece of jsonPieces(rest)) yield frame(TEXT, Buffer.from(piece));
  for (const piece of jsonPieces(state)) yield frame(STATE, Buffer.from(piece));
  for (const [name, data] of Object.entries(payload.companions)) {
    for (const piece of jsonPieces(data)) yield frame(PROJECTION, named(name, piece));
  }
  for (const block of orders) yield frame(ORDERS, encodeColumns(block));
}

/** Throws where the bytes are of another shape. */
export function decodeSnapshot(bytes: Buffer): SnapshotPayload {
  const texts: Buffer[] = [];
  const states: Buffer[] = [];
  const orders: OrderBlock[] = [];
  const dumps = new Map<string, Buffer[]>();
  for (const { content, kind } of framesOf(bytes)) {
    if (kind === TEXT) texts.push(content);
    else if (kind === STATE) states.push(content);
    else if (kind === ORDERS) orders.push(decodeColumns(content) as OrderBlock);
    else if (kind === PROJECTION) addNamed(dumps, content);
    else throw new Error(`unknown kind of frame: ${kind}`);
  }
  const payload = parse(texts) as PackedPayload;
  for (const [name, parts] of dumps) readLater(payload.companions, name, parts);
  const state = states.length === 0 ? payload.state : (parse(states) as PackedPayload['state']);
  return { ...payload, state: { ...state, orders } };
}

/** Hashes what the log attests of a snapshot: the head of its block, then each frame of its content. */
export class ContentHasher {
  readonly #keccak: IHasher;

  private constructor(keccak: IHasher) {
    this.#keccak = keccak;
  }

  static async create(): Promise<ContentHasher> {
    return new ContentHasher(await createKeccak(256));
  }

  begin({ head, rules }: Pick<SnapshotPayload, 'head' | 'rules'>): void {
    const { hash: block, height, stateHash, timeMs } = head;
    this.#keccak.init().update([rules, height, timeMs, block, stateHash].join('\n'));
  }

  /** Takes a frame as `encodeSnapshot` yields it; frames of another kind do not count. */
  add(bytes: Buffer): void {
    const kind = bytes.readUInt32LE(0);
    if (kind === STATE || kind === ORDERS) this.#keccak.update(bytes);
  }

  end(): Hash {
    return hash(`0x${this.#keccak.digest('hex')}`);
  }

  /** Of a snapshot as it was read. */
  of(payload: Pick<SnapshotPayload, 'head' | 'rules'>, bytes: Buffer): Hash {
    this.begin(payload);
    for (const { start, end } of framesOf(bytes)) this.add(bytes.subarray(start, end));
    return this.end();
  }
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

type Frame = {
  readonly kind: number;
  readonly content: Buffer;
  /** Where the frame is, with its head and its zeros. */
  readonly start: number;
  readonly end: number;
};

function* framesOf(bytes: Buffer): Generator<Frame> {
  let start = 0;
  while (start < bytes.length) {
    const kind = bytes.readUInt32LE(start);
    const from = start + FRAME_HEAD_BYTES;
    const to = from + bytes.readUInt32LE(start + 4);
    if (to > bytes.length) throw new RangeError('a frame ends beyond the snapshot');
    const end = upToEight(to);
    yield { kind, content: bytes.subarray(from, to), start, end };
    start = end;
  }
}
