import type {
  BuilderTerms,
  CancelByClientIdCommand,
  CancelOrdersCommand,
  Command,
  Grouping,
  ModifyOrderCommand,
  PlaceOrdersCommand,
} from '@oddlot/engine';
import type { Address, InstrumentId } from '@oddlot/units';
import { readAuthority, writeAuthority } from './authority-form.ts';
import { type ByteReader, EncodingError } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { readOrder, wordAt, writeOrder, writeWord } from './order-form.ts';
import { NO_FIT, Shape } from './shape.ts';

/** How a command of one type is written in short, in front of the authority's own form. */
export type CommandForm<Asked extends Command = Command> = {
  /** The first byte; never given to another form. */
  readonly tag: number;
  /** False when the command has something that the form has no place for. */
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

/** What comes by the thousand; whatever else there is, is written as plain data. */
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
