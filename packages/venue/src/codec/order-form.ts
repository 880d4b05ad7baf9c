import type { MarginMode, OrderRequest, TimeInForce, TriggerRequest } from '@oddlot/engine';
import type { InstrumentId, TimeMs } from '@oddlot/units';
import { type ByteReader, EncodingError } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { NO_FIT, Shape } from './shape.ts';

/** One order in short. One with a price or size off the grid, which is refused anyway, does not fit. */

const SHAPE = new Shape<OrderRequest>(
  ['instrumentId', 'isBuy', 'price', 'size', 'reduceOnly', 'timeInForce'],
  ['expireMs', 'marginMode', 'trigger', 'clientOrderId'],
);
const EXPIRES = 1;
const MARGIN_MODE = 2;
const TRIGGER = 4;
const CLIENT_ID = 8;
const ORDER_OPTIONALS_BELOW = 16;

/** Flags of an order: two bits, and the time in force above them. */
const BUY = 1;
const REDUCE_ONLY = 2;
const TIMES_FROM = 4;
const TIMES: readonly TimeInForce[] = ['gtc', 'gtd', 'alo', 'ioc', 'market'];

const MARGIN_MODES: readonly MarginMode[] = ['cross', 'isolated'];

const TRIGGER_SHAPE = new Shape<TriggerRequest>(['kind', 'price', 'isMarket']);
const TRIGGER_KINDS: readonly TriggerRequest['kind'][] = ['takeProfit', 'stopLoss'];

/** False when it does not fit; what was written until then is the caller's to take back. */
export function writeOrder(writer: ByteWriter, order: OrderRequest): boolean {
  const optionals = SHAPE.optionalsOf(order);
  if (optionals === NO_FIT) return false;
  const { isBuy, reduceOnly } = order;
  const time = TIMES.indexOf(order.timeInForce);
  if (!isFlag(isBuy) || !isFlag(reduceOnly) || time < 0) return false;
  const flags = (isBuy ? BUY : 0) + (reduceOnly ? REDUCE_ONLY : 0) + time * TIMES_FROM;
  return (
    writer.byte(flags) &&
    writer.byte(optionals) &&
    writer.number(order.instrumentId) &&
    writer.number(order.price) &&
    writer.number(order.size) &&
    ((optionals & EXPIRES) === 0 || writer.number(order.expireMs)) &&
    ((optionals & MARGIN_MODE) === 0 || writeWord(writer, MARGIN_MODES, order.marginMode)) &&
    ((optionals & TRIGGER) === 0 || writeTrigger(writer, order.trigger)) &&
    ((optionals & CLIENT_ID) === 0 || writer.text(order.clientOrderId))
  );
}

export function readOrder(reader: ByteReader): OrderRequest {
  const flags = reader.byte();
  const optionals = reader.byte();
  if (optionals >= ORDER_OPTIONALS_BELOW)
    throw new EncodingError(`invalid order flags: ${optionals}`);
  const instrumentId = reader.number() as InstrumentId;
  const price = reader.number();
  const size = reader.number();
  const order: { -readonly [Key in keyof OrderRequest]: OrderRequest[Key] } = {
    instrumentId,
    isBuy: (flags & BUY) !== 0,
    price,
    size,
    reduceOnly: (flags & REDUCE_ONLY) !== 0,
    timeInForce: wordAt(TIMES, Math.floor(flags / TIMES_FROM)),
  };
  if (optionals === 0) return order;
  if ((optionals & EXPIRES) !== 0) order.expireMs = reader.number() as TimeMs;
  if ((optionals & MARGIN_MODE) !== 0) order.marginMode = wordAt(MARGIN_MODES, reader.byte());
  if ((optionals & TRIGGER) !== 0) order.trigger = readTrigger(reader);
  if ((optionals & CLIENT_ID) !== 0) order.clientOrderId = reader.text();
  return order;
}

function writeTrigger(writer: ByteWriter, trigger: TriggerRequest | undefined): boolean {
  if (trigger === undefined || TRIGGER_SHAPE.optionalsOf(trigger) === NO_FIT) return false;
  if (!isFlag(trigger.isMarket)) return false;
  return (
    writeWord(writer, TRIGGER_KINDS, trigger.kind) &&
    writer.number(trigger.price) &&
    writer.byte(trigger.isMarket ? 1 : 0)
  );
}

function readTrigger(reader: ByteReader): TriggerRequest {
  const kind = wordAt(TRIGGER_KINDS, reader.byte());
  const price = reader.number();
  return { kind, price, isMarket: readFlag(reader) };
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

function readFlag(reader: ByteReader): boolean {
  const value = reader.byte();
  if (value > 1) throw new EncodingError(`invalid boolean: ${value}`);
  return value === 1;
}

/** Words that a field can be, by their place; places never change. */
export function writeWord<Word>(
  writer: ByteWriter,
  words: readonly Word[],
  word: Word | undefined,
): boolean {
  const index = words.indexOf(word as Word);
  return index >= 0 && writer.byte(index);
}

export function wordAt<Word>(words: readonly Word[], index: number): Word {
  const word = words[index];
  if (word === undefined) throw new EncodingError(`unknown word index: ${index}`);
  return word;
}
