import type {
  Authority,
  BuilderTerms,
  CancelByClientIdCommand,
  CancelOrdersCommand,
  Command,
  Grouping,
  MarginMode,
  ModifyOrderCommand,
  OrderRequest,
  PlaceOrdersCommand,
  TimeInForce,
  TriggerRequest,
} from '@oddlot/engine';
import type { Address, Hash, InstrumentId, TimeMs } from '@oddlot/units';
import { type ByteReader, type ByteWriter, EncodingError } from './bytes.ts';

const NO_FIT = -1;

/** The keys of an object in order: the required ones first, then the optional ones. */
class Shape<T extends object> {
  readonly #keys: readonly (string & keyof T)[];
  readonly #requiredCount: number;

  constructor(
    required: readonly (string & keyof T)[],
    optional: readonly (string & keyof T)[] = [],
  ) {
    this.#keys = [...required, ...optional];
    this.#requiredCount = required.length;
  }

  /**
   * Returns a bit mask of the optional keys present in an object, or `NO_FIT` if it has other keys
   * or they are in another order.
   */
  optionalsOf(object: T): number {
    const keys = this.#keys;
    const requiredCount = this.#requiredCount;
    let at = 0;
    let bits = 0;
    for (const key in object) {
      while (keys[at] !== key) {
        if (at < requiredCount || at === keys.length) return NO_FIT;
        at += 1;
      }
      if (at >= requiredCount) bits |= 1 << (at - requiredCount);
      at += 1;
    }
    return at < requiredCount ? NO_FIT : bits;
  }
}

/**
 * The compact form of a signer. A signer acting for a multi-sig account cannot be encoded in this
 * form.
 */

const AUTHORITY_SHAPE = new Shape<Authority>(
  ['signer', 'nonce', 'txHash'],
  ['expiresAfterMs', 'vault'],
);
const AUTHORITY_EXPIRES = 1;
const AUTHORITY_VAULT = 2;

/**
 * Returns false if the authority does not fit this form; the caller then discards the bytes written
 * so far.
 */
function writeAuthority(writer: ByteWriter, authority: Authority): boolean {
  const optionals = AUTHORITY_SHAPE.optionalsOf(authority);
  if (optionals === NO_FIT) return false;
  return (
    writer.byte(optionals) &&
    writer.text(authority.signer) &&
    writer.number(authority.nonce) &&
    writer.text(authority.txHash) &&
    ((optionals & AUTHORITY_EXPIRES) === 0 || writer.number(authority.expiresAfterMs)) &&
    ((optionals & AUTHORITY_VAULT) === 0 || writer.text(authority.vault))
  );
}

function readAuthority(reader: ByteReader): Authority {
  const optionals = reader.byte();
  if (optionals > AUTHORITY_EXPIRES + AUTHORITY_VAULT)
    throw new EncodingError(`invalid authority flags: ${optionals}`);
  const authority: { -readonly [Key in keyof Authority]: Authority[Key] } = {
    signer: reader.text() as Address,
    nonce: reader.number(),
    txHash: reader.text() as Hash,
  };
  if ((optionals & AUTHORITY_EXPIRES) !== 0) authority.expiresAfterMs = reader.number() as TimeMs;
  if ((optionals & AUTHORITY_VAULT) !== 0) authority.vault = reader.text() as Address;
  return authority;
}

/**
 * The compact form of one order. An order whose price or size is off the grid cannot be encoded in
 * this form, but would be rejected anyway.
 */

const ORDER_SHAPE = new Shape<OrderRequest>(
  ['instrumentId', 'isBuy', 'price', 'size', 'reduceOnly', 'timeInForce'],
  ['expireMs', 'marginMode', 'trigger', 'clientOrderId'],
);
const ORDER_EXPIRES = 1;
const MARGIN_MODE = 2;
const TRIGGER = 4;
const CLIENT_ID = 8;
const ORDER_OPTIONALS_BELOW = 16;

/** The flags of an order: two bits, then the time in force. */
const BUY = 1;
const REDUCE_ONLY = 2;
const TIMES_FROM = 4;
const TIMES: readonly TimeInForce[] = ['gtc', 'gtd', 'alo', 'ioc', 'market'];

const MARGIN_MODES: readonly MarginMode[] = ['cross', 'isolated'];

const TRIGGER_SHAPE = new Shape<TriggerRequest>(['kind', 'price', 'isMarket']);
const TRIGGER_KINDS: readonly TriggerRequest['kind'][] = ['takeProfit', 'stopLoss'];

function writeOrder(writer: ByteWriter, order: OrderRequest): boolean {
  const optionals = ORDER_SHAPE.optionalsOf(order);
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
    ((optionals & ORDER_EXPIRES) === 0 || writer.number(order.expireMs)) &&
    ((optionals & MARGIN_MODE) === 0 || writeWord(writer, MARGIN_MODES, order.marginMode)) &&
    ((optionals & TRIGGER) === 0 || writeTrigger(writer, order.trigger)) &&
    ((optionals & CLIENT_ID) === 0 || writer.text(order.clientOrderId))
  );
}

function readOrder(reader: ByteReader): OrderRequest {
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
  if ((optionals & ORDER_EXPIRES) !== 0) order.expireMs = reader.number() as TimeMs;
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

/** Writes a word as its index in a list. Existing words never change their position. */
function writeWord<Word>(
  writer: ByteWriter,
  words: readonly Word[],
  word: Word | undefined,
): boolean {
  const index = words.indexOf(word as Word);
  return index >= 0 && writer.byte(index);
}

function wordAt<Word>(words: readonly Word[], index: number): Word {
  const word = words[index];
  if (word === undefined) throw new EncodingError(`unknown word index: ${index}`);
  return word;
}

export type CommandForm<Asked extends Command = Command> = {
  /** The first byte of the encoded command. It is never reused for another form. */
  readonly tag: number;
  readonly write: (writer: ByteWriter, command: Asked) => boolean;
  readonly read: (reader: ByteReader) => Asked;
};

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Cancel = CancelOrdersCommand['cancels'][number];
type CancelById = CancelByClientIdCommand['cancels'][number];
type ById = { readonly orderId: number };
type ByClientId = { readonly clientOrderId: string };

const PLACE = new Shape<PlaceOrdersCommand>(
  ['type', 'authority', 'orders'],
  ['grouping', 'builder'],
);
const GROUPING = 1;
const BUILDER = 2;
const GROUPINGS: readonly Grouping[] = ['none', 'normal', 'position'];
const BUILDER_TERMS = new Shape<BuilderTerms>(['address', 'feeTenthsBp']);
const CANCEL = new Shape<CancelOrdersCommand>(['type', 'authority', 'cancels']);
const CANCEL_ENTRY = new Shape<Cancel>(['instrumentId', 'orderId']);
const CANCEL_BY_ID = new Shape<CancelByClientIdCommand>(['type', 'authority', 'cancels']);
const CANCEL_BY_ID_ENTRY = new Shape<CancelById>(['instrumentId', 'clientOrderId']);
const MODIFY = new Shape<ModifyOrderCommand>([
  'type',
  'authority',
  'instrumentId',
  'target',
  'price',
  'size',
]);
const BY_ID = new Shape<ById>(['orderId']);
const BY_CLIENT_ID = new Shape<ByClientId>(['clientOrderId']);

const placeOrders: CommandForm<PlaceOrdersCommand> = {
  tag: 1,
  write(writer, command) {
    const optionals = PLACE.optionalsOf(command);
    const { authority, builder, grouping, orders } = command;
    return (
      optionals !== NO_FIT &&
      writer.byte(optionals) &&
      writeAuthority(writer, authority) &&
      writeList(writer, orders, writeOrder) &&
      ((optionals & GROUPING) === 0 || writeWord(writer, GROUPINGS, grouping)) &&
      ((optionals & BUILDER) === 0 || writeBuilder(writer, builder))
    );
  },
  read(reader) {
    const optionals = reader.byte();
    if (optionals > GROUPING + BUILDER)
      throw new EncodingError(`invalid flags of an order list: ${optionals}`);
    const authority = readAuthority(reader);
    const orders = readList(reader, readOrder);
    const command: Mutable<PlaceOrdersCommand> = { type: 'placeOrders', authority, orders };
    if ((optionals & GROUPING) !== 0) command.grouping = wordAt(GROUPINGS, reader.byte());
    if ((optionals & BUILDER) !== 0) command.builder = readBuilder(reader);
    return command;
  },
};

const cancelOrders: CommandForm<CancelOrdersCommand> = {
  tag: 2,
  write(writer, command) {
    return (
      CANCEL.optionalsOf(command) !== NO_FIT &&
      writeAuthority(writer, command.authority) &&
      writeList(writer, command.cancels, writeCancel)
    );
  },
  read(reader) {
    const authority = readAuthority(reader);
    return { type: 'cancelOrders', authority, cancels: readList(reader, readCancel) };
  },
};

const cancelByClientId: CommandForm<CancelByClientIdCommand> = {
  tag: 3,
  write(writer, command) {
    return (
      CANCEL_BY_ID.optionalsOf(command) !== NO_FIT &&
      writeAuthority(writer, command.authority) &&
      writeList(writer, command.cancels, writeCancelById)
    );
  },
  read(reader) {
    const authority = readAuthority(reader);
    return { type: 'cancelByClientId', authority, cancels: readList(reader, readCancelById) };
  },
};

const modifyOrder: CommandForm<ModifyOrderCommand> = {
  tag: 4,
  write(writer, command) {
    const { authority, instrumentId, price, size, target } = command;
    return (
      MODIFY.optionalsOf(command) !== NO_FIT &&
      writeAuthority(writer, authority) &&
      writer.number(instrumentId) &&
      writeTarget(writer, target) &&
      writer.number(price) &&
      writer.number(size)
    );
  },
  read(reader) {
    const authority = readAuthority(reader);
    const instrumentId = reader.number() as InstrumentId;
    const target = readTarget(reader);
    const price = reader.number();
    return { type: 'modifyOrder', authority, instrumentId, target, price, size: reader.number() };
  },
};

/**
 * Compact forms exist for the most frequent types. All other commands are written as plain data.
 */
export const COMMAND_FORMS = { placeOrders, cancelOrders, cancelByClientId, modifyOrder };

function writeBuilder(writer: ByteWriter, builder: BuilderTerms | undefined): boolean {
  if (builder === undefined || BUILDER_TERMS.optionalsOf(builder) === NO_FIT) return false;
  return writer.text(builder.address) && writer.number(builder.feeTenthsBp);
}

function readBuilder(reader: ByteReader): BuilderTerms {
  const address = reader.text() as Address;
  return { address, feeTenthsBp: reader.number() };
}

function writeCancel(writer: ByteWriter, cancel: Cancel): boolean {
  if (CANCEL_ENTRY.optionalsOf(cancel) === NO_FIT) return false;
  return writer.number(cancel.instrumentId) && writer.number(cancel.orderId);
}

function readCancel(reader: ByteReader): Cancel {
  const instrumentId = reader.number() as InstrumentId;
  return { instrumentId, orderId: reader.number() };
}

function writeCancelById(writer: ByteWriter, cancel: CancelById): boolean {
  if (CANCEL_BY_ID_ENTRY.optionalsOf(cancel) === NO_FIT) return false;
  return writer.number(cancel.instrumentId) && writer.text(cancel.clientOrderId);
}

function readCancelById(reader: ByteReader): CancelById {
  const instrumentId = reader.number() as InstrumentId;
  return { instrumentId, clientOrderId: reader.text() };
}

function writeTarget(writer: ByteWriter, target: ById | ByClientId): boolean {
  if (BY_ID.optionalsOf(target as ById) !== NO_FIT) {
    return writer.byte(0) && writer.number((target as ById).orderId);
  }
  if (BY_CLIENT_ID.optionalsOf(target as ByClientId) === NO_FIT) return false;
  return writer.byte(1) && writer.text((target as ByClientId).clientOrderId);
}

function readTarget(reader: ByteReader): ById | ByClientId {
  const kind = reader.byte();
  if (kind > 1) throw new EncodingError(`unknown kind of order reference: ${kind}`);
  return kind === 0 ? { orderId: reader.number() } : { clientOrderId: reader.text() };
}

function writeList<T>(
  writer: ByteWriter,
  list: readonly T[],
  write: (writer: ByteWriter, entry: T) => boolean,
): boolean {
  if (!Array.isArray(list) || !writer.number(list.length)) return false;
  for (const entry of list) if (!write(writer, entry)) return false;
  return true;
}

function readList<T>(reader: ByteReader, read: (reader: ByteReader) => T): T[] {
  const list: T[] = [];
  for (let left = reader.count(); left > 0; left -= 1) list.push(read(reader));
  return list;
}
