import type { Column, OrderBlock, PackedDump, StateDump } from '@oddlot/engine';
import { type Hash, hash, present } from '@oddlot/units';
import { createKeccak, type IHasher } from 'hash-wasm';
import type { BlockHead } from './block.ts';
import { endianness } from 'node:os';

/**
 * The content of a snapshot as a sequence of frames. A frame is its kind and its length, both
 * uint32 little-endian, its bytes, and zeros up to a multiple of eight. The text frames together
 * are the JSON of the head and the preceding hashes. The state frames are the JSON of the state
 * without its orders; each order frame contains a block of orders. A projection frame is a name,
 * preceded by its length (uint32), and JSON, which continues in the next frame with that name.
 * Snapshots of release 0.3.0 have the state in the text.
 *
 * The state and order frames are the content that the log attests. They follow from the state
 * alone, so replicas with the same state write the same bytes.
 */

const TEXT = 1;
const ORDERS = 2;
const PROJECTION = 3;
const STATE = 4;
const FRAME_HEAD_BYTES = 8;
const NAME_LENGTH_BYTES = 4;

/**
 * Yields frames one by one, so that no step takes long. The state must not change until the last
 * frame.
 */
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

/**
 * Hashes the content of a snapshot as attested in the log: the head of its block, then each frame
 * of the state.
 */
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

  /** Adds a frame as `encodeSnapshot` yields it; frames of other kinds are ignored. */
  add(bytes: Buffer): void {
    const kind = bytes.readUInt32LE(0);
    if (kind === STATE || kind === ORDERS) this.#keccak.update(bytes);
  }

  end(): Hash {
    return hash(`0x${this.#keccak.digest('hex')}`);
  }

  of(payload: Pick<SnapshotPayload, 'head' | 'rules'>, bytes: Buffer): Hash {
    this.begin(payload);
    for (const { start, end } of framesOf(bytes)) this.add(bytes.subarray(start, end));
    return this.end();
  }
}

/**
 * The dump is parsed on access, because a thread needs only some of the dumps, and parsing the
 * history of a million orders takes long.
 */
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
  /** The range of the frame, including its head and its padding. */
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

export type SnapshotPayload = {
  /** The rules version `state` was computed under. */
  readonly rules: number;
  readonly head: BlockHead;
  readonly heads: readonly BlockHead[];
  readonly state: StateDump | PackedDump;
  /**
   * The dumps of the projections by name. Files and the engines of earlier rules use this field
   * name.
   */
  readonly companions: Readonly<Record<string, unknown>>;
  /**
   * The versions of the dumps. They can be missing at the start of an era that follows rules 2 or
   * earlier, when all versions were 1.
   */
  readonly versions?: Readonly<Record<string, number>>;
};

export type PackedPayload = SnapshotPayload & { readonly state: PackedDump };

/** The height of a snapshot, and the hash of its content as attested in the log. */
export type WrittenSnapshot = { readonly height: number; readonly content: Hash };

/**
 * Encodes an object whose lists of numbers are typed arrays as self-describing bytes: the length of
 * the head (uint32), zeros up to eight bytes, the head as JSON, then the columns in the order given
 * in the head. The head and each column are padded to a multiple of eight bytes.
 */

/**
 * The name of a column type includes the byte order, so that a machine with another byte order
 * rejects it.
 */
const ORDER = endianness() === 'LE' ? 'le' : 'be';
const FORMS = {
  u8: Uint8Array,
  [`u16${ORDER}`]: Uint16Array,
  [`u32${ORDER}`]: Uint32Array,
  [`f64${ORDER}`]: Float64Array,
};
const START_BYTES = 8;

type Head = {
  readonly columns: readonly (readonly [name: string, form: string, length: number])[];
  readonly rest: Readonly<Record<string, unknown>>;
};

export function encodeColumns(object: Readonly<Record<string, unknown>>): Buffer {
  const columns: [string, string, number][] = [];
  const rest: [string, unknown][] = [];
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(object)) {
    if (!isColumn(value)) rest.push([name, value]);
    else {
      columns.push([name, formOf(value), value.length]);
      parts.push(...padded(Buffer.from(value.buffer, value.byteOffset, value.byteLength)));
    }
  }
  const head: Head = { columns, rest: Object.fromEntries(rest) };
  const text = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(START_BYTES);
  start.writeUInt32LE(text.length);
  return Buffer.concat([start, ...padded(text), ...parts]);
}

export function decodeColumns(bytes: Buffer): Readonly<Record<string, unknown>> {
  const headEnd = START_BYTES + bytes.readUInt32LE();
  const head = JSON.parse(bytes.toString('utf8', START_BYTES, headEnd)) as Head;
  const object: Record<string, unknown> = { ...head.rest };
  let from = upToEight(headEnd);
  for (const [name, form, length] of head.columns) {
    const Form = present(FORMS[form], `a column form that this release supports: ${form}`);
    const end = from + length * Form.BYTES_PER_ELEMENT;
    if (end > bytes.length) throw new RangeError('a column ends beyond its block');
    const { buffer, byteOffset } = bytes;
    object[name] = new Form(buffer.slice(byteOffset + from, byteOffset + end) as ArrayBuffer);
    from = upToEight(end);
  }
  return object;
}

function isColumn(value: unknown): value is Column {
  return ArrayBuffer.isView(value);
}

function formOf(column: Column): string {
  const found = Object.entries(FORMS).find(([, Form]) => column instanceof Form);
  return present(found, 'a form for a column')[0];
}

function padded(bytes: Buffer): Buffer[] {
  return [bytes, Buffer.alloc(upToEight(bytes.length) - bytes.length)];
}

function upToEight(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/**
 * Serializes a large value in pieces that together equal the output of `JSON.stringify`, so that no
 * piece takes long. Dumps are trees of plain objects whose long lists are near the top.
 */

/** The number of levels that are split. Deeper values are small. */
const DEPTH_MAX = 6;
/** How many values of a list are serialized at once if they are not split themselves. */
const VALUES_AT_ONCE = 64;
const PIECE_CHARS = 64 * 1024;

export function* jsonPieces(value: unknown): Generator<string> {
  let text = '';
  for (const part of partsOf(value, 0)) {
    text += part;
    if (text.length < PIECE_CHARS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function* partsOf(value: unknown, depth: number): Generator<string> {
  if (Array.isArray(value) && depth < DEPTH_MAX) yield* partsOfList(value, depth);
  else if (isPlain(value) && depth < DEPTH_MAX) yield* partsOfObject(value, depth);
  // A value without a JSON representation becomes null, as in a list.
  else yield JSON.stringify(value) ?? 'null';
}

function* partsOfList(list: readonly unknown[], depth: number): Generator<string> {
  yield '[';
  for (let from = 0; from < list.length; from += VALUES_AT_ONCE) {
    const values = list.slice(from, from + VALUES_AT_ONCE);
    if (from > 0) yield ',';
    if (values.some(isLong)) yield* partsOfEach(values, depth);
    else yield JSON.stringify(values).slice(1, -1);
  }
  yield ']';
}

function* partsOfEach(values: readonly unknown[], depth: number): Generator<string> {
  for (const [index, value] of values.entries()) {
    if (index > 0) yield ',';
    yield* partsOf(value, depth + 1);
  }
}

function* partsOfObject(object: Readonly<Record<string, unknown>>, depth: number) {
  yield '{';
  let isFirst = true;
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue;
    yield `${isFirst ? '' : ','}${JSON.stringify(key)}:`;
    isFirst = false;
    yield* partsOf(value, depth + 1);
  }
  yield '}';
}

/** True for a value that can be large and is therefore split. */
function isLong(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => Array.isArray(each) || isPlain(each));
  return (
    isPlain(value) && Object.values(value).some((each) => Array.isArray(each) || isPlain(each))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
