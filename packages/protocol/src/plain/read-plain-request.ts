import type { ActionOf } from '../actions/registry.ts';
import { isDecimalText } from '@oddlot/units';
import { encodeText, MsgpackCursor } from '../json/msgpack.ts';
import { scanBody } from '../json/scan.ts';
import { LIMITS, OUTCOME_ID_MIN } from '../limits.ts';
import { COMPONENT_BYTES, recoveryOf, type Signature } from '../signing/signature.ts';

/**
 * A list of limit orders without optional fields, in a flat form that is cheap to pass between
 * threads. Each order has its instrument, flags, price, size and client order id, which is empty if
 * there is none.
 */
export type PlainOrders = (number | string)[];

const ORDER_PARTS = 5;

const PLAIN_TIFS = ['Gtc', 'Alo', 'Ioc', 'FrontendMarket'] as const;

const KINDS = PLAIN_TIFS.map((tif) => ({ limit: { tif } }));

const IS_BUY = 1;
const REDUCES = 2;
const HAS_CLIENT_ID = 4;
const TIF_SHIFT = 3;

/** An order in a plain request. `tif` is the index of its time in force in `PLAIN_TIFS`. */
type PlainOrder = {
  readonly instrument: number;
  readonly isBuy: boolean;
  readonly price: string;
  readonly size: string;
  readonly reduces: boolean;
  readonly tif: number;
  readonly clientId: string | undefined;
};

function pushPlainOrder(orders: PlainOrders, order: PlainOrder): void {
  const { clientId, instrument, isBuy, price, reduces, size, tif } = order;
  const flags =
    (isBuy ? IS_BUY : 0) |
    (reduces ? REDUCES : 0) |
    (clientId === undefined ? 0 : HAS_CLIENT_ID) |
    (tif << TIF_SHIFT);
  orders.push(instrument, flags, price, size, clientId ?? '');
}

/** Converts the flat list to the action that the schema would have returned. */
export function plainOrderAction(flat: PlainOrders): ActionOf<'order'> {
  const orders: ActionOf<'order'>['orders'] = [];
  for (let at = 0; at < flat.length; at += ORDER_PARTS) {
    const flags = flat[at + 1] as number;
    const order = {
      a: flat[at] as number,
      b: (flags & IS_BUY) !== 0,
      p: flat[at + 2] as string,
      s: flat[at + 3] as string,
      r: (flags & REDUCES) !== 0,
      t: KINDS[flags >> TIF_SHIFT] ?? { limit: { tif: 'Gtc' } },
    };
    orders.push((flags & HAS_CLIENT_ID) === 0 ? order : { ...order, c: flat[at + 4] as string });
  }
  return { type: 'order', grouping: 'na', orders };
}

/**
 * A request with limit orders that have no optional fields, by far the most frequent kind. It is
 * read from the MessagePack that the strict reader writes for hashing, without a schema and without
 * parsing the text twice. The schemas read every unusual or invalid request; a test compares both.
 */

export type PlainRequest = {
  /** The MessagePack encoding of the action. The next text read overwrites it. */
  readonly msgpack: Uint8Array;
  readonly signature: Signature;
  readonly nonce: number;
  readonly expiresAfter: number | undefined;
  /** True if the client waits for execution. */
  readonly isConfirmed: boolean;
  readonly orders: PlainOrders;
};

/** Reads a plain request, or returns undefined if the schemas must read it. */
export function readPlainRequest(text: string): PlainRequest | undefined {
  const body = scanBody(text);
  return body === undefined ? undefined : readBody(body);
}

const WORD = {
  action: encodeText('action'),
  signature: encodeText('signature'),
  nonce: encodeText('nonce'),
  confirm: encodeText('confirm'),
  expiresAfter: encodeText('expiresAfter'),
  vaultAddress: encodeText('vaultAddress'),
  null: Uint8Array.of(0xc0),
  executed: encodeText('executed'),
  type: encodeText('type'),
  order: encodeText('order'),
  grouping: encodeText('grouping'),
  na: encodeText('na'),
  orders: encodeText('orders'),
  limit: encodeText('limit'),
  tif: encodeText('tif'),
  a: encodeText('a'),
  b: encodeText('b'),
  c: encodeText('c'),
  p: encodeText('p'),
  r: encodeText('r'),
  s: encodeText('s'),
  t: encodeText('t'),
  v: encodeText('v'),
};

const TIFS = PLAIN_TIFS.map(encodeText);

function readBody(body: Uint8Array): PlainRequest | undefined {
  const cursor = new MsgpackCursor(body);
  let orders: PlainOrders | undefined;
  let signature: Signature | undefined;
  let nonce: number | undefined;
  let expiresAfter: number | undefined;
  let isConfirmed = false;
  let [start, end] = [0, 0];
  for (let left = cursor.map(); left > 0; left--) {
    if (cursor.is(WORD.action)) {
      start = cursor.at;
      orders = readAction(cursor);
      end = cursor.at;
    } else if (cursor.is(WORD.signature)) signature = readSignature(cursor);
    else if (cursor.is(WORD.nonce)) nonce = cursor.unsigned();
    else if (cursor.is(WORD.confirm) && cursor.is(WORD.executed)) isConfirmed = true;
    else if (cursor.is(WORD.expiresAfter)) {
      expiresAfter = cursor.is(WORD.null) ? undefined : cursor.unsigned();
    } else if (!cursor.is(WORD.vaultAddress) || !cursor.is(WORD.null)) return undefined;
    if (cursor.isLost) return undefined;
  }
  if (orders === undefined || signature === undefined || nonce === undefined) return undefined;
  const msgpack = body.subarray(start, end);
  return { msgpack, signature, nonce, expiresAfter, isConfirmed, orders };
}

function readSignature(cursor: MsgpackCursor): Signature | undefined {
  let r: Uint8Array | undefined;
  let s: Uint8Array | undefined;
  let v: Signature['v'] | undefined;
  for (let left = cursor.map(); left > 0; left--) {
    if (cursor.is(WORD.r)) r = cursor.hex(COMPONENT_BYTES);
    else if (cursor.is(WORD.s)) s = cursor.hex(COMPONENT_BYTES);
    else if (cursor.is(WORD.v)) v = recoveryOf(cursor.unsigned());
    else return undefined;
    if (cursor.isLost) return undefined;
  }
  return r === undefined || s === undefined || v === undefined ? undefined : { r, s, v };
}

function readAction(cursor: MsgpackCursor): PlainOrders | undefined {
  let orders: PlainOrders | undefined;
  let [isOrder, isUngrouped] = [false, false];
  for (let left = cursor.map(); left > 0; left--) {
    if (cursor.is(WORD.type) && cursor.is(WORD.order)) isOrder = true;
    else if (cursor.is(WORD.grouping) && cursor.is(WORD.na)) isUngrouped = true;
    else if (cursor.is(WORD.orders)) orders = readOrders(cursor);
    else return undefined;
    if (cursor.isLost) return undefined;
  }
  return isOrder && isUngrouped ? orders : undefined;
}

function readOrders(cursor: MsgpackCursor): PlainOrders | undefined {
  const count = cursor.array();
  if (count === 0 || count > LIMITS.ordersMax) return undefined;
  const orders: PlainOrders = [];
  for (let index = 0; index < count; index++) {
    if (!readOrder(cursor, orders)) return undefined;
  }
  return orders;
}

const UINT32_MAX = 0xffff_ffff;

function readOrder(cursor: MsgpackCursor, orders: PlainOrders): boolean {
  let instrument: number | undefined;
  let isBuy: boolean | undefined;
  let reduces: boolean | undefined;
  let clientId: string | undefined;
  let tif = -1;
  let [price, size] = ['', ''];
  for (let left = cursor.map(); left > 0; left--) {
    if (cursor.is(WORD.a)) instrument = cursor.unsigned();
    else if (cursor.is(WORD.b)) isBuy = cursor.flag();
    else if (cursor.is(WORD.p)) price = cursor.ascii();
    else if (cursor.is(WORD.s)) size = cursor.ascii();
    else if (cursor.is(WORD.r)) reduces = cursor.flag();
    else if (cursor.is(WORD.t)) tif = readKind(cursor);
    else if (cursor.is(WORD.c)) clientId = cursor.ascii();
    else return false;
    if (cursor.isLost) return false;
  }
  if (instrument === undefined || isBuy === undefined || reduces === undefined || tif < 0)
    return false;
  if (instrument > UINT32_MAX || !isDecimalText(price) || !isDecimalText(size)) return false;
  // The schemas reject an action with both perps and outcome markets.
  if (orders.length > 0 && isOutcome(orders[0]) !== isOutcome(instrument)) return false;
  pushPlainOrder(orders, { instrument, isBuy, price, size, reduces, tif, clientId });
  return true;
}

function isOutcome(instrument: PlainOrders[number] | undefined): boolean {
  return typeof instrument === 'number' && instrument >= OUTCOME_ID_MIN;
}

/** Returns the index of the time in force, or -1 unless the order type is `{limit: {tif}}`. */
function readKind(cursor: MsgpackCursor): number {
  if (cursor.map() !== 1 || !cursor.is(WORD.limit)) return -1;
  if (cursor.map() !== 1 || !cursor.is(WORD.tif)) return -1;
  return TIFS.findIndex((tif) => cursor.is(tif));
}
