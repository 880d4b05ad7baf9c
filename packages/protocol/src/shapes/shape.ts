import { isDecimalText } from '@oddlot/units';
import {
  type Details,
  detailsOf,
  fieldPath,
  nameOf,
  type WireError,
  wireError,
} from '../errors.ts';
import { entryCount, missingField, notAllowed, wrongType } from '../message-groups.ts';

/**
 * The form of a request as plain data. A client uses it to sort an action's keys into signing order
 * and find malformed fields. The schemas are authoritative, but their library is three times as
 * large as a client may be, so `npm run write-shapes` derives these shapes from them. Only the
 * venue checks further requirements, for example that only `Gtd` orders have an expiry.
 */
export type Shape = ScalarShape | ListShape | EnumShape | LiteralShape | IntegerShape | ObjectShape;

/**
 * The form of a single value. `any` is checked only by the venue, and `never` is a reserved key.
 */
export type ScalarShape =
  | 'any'
  | 'never'
  | 'boolean'
  | 'text'
  | 'decimal'
  | 'address'
  | 'hash'
  | 'id'
  | 'object';

/**
 * A list of entries of one shape, with their minimum and maximum number and the list's name in
 * refusals.
 */
type ListShape = readonly [kind: 'list', entry: Shape, min: number, max: number, name: string];

/** One of several strings, in any case. Aliases are accepted but not listed in errors. */
type EnumShape = readonly [kind: 'enum', values: readonly string[], aliases?: readonly string[]];

/** One of several exact values. */
type LiteralShape = readonly [kind: 'is', ...values: readonly (string | number | boolean)[]];

/** An integer in a range; by default, the safe range of JSON numbers. */
export type IntegerShape = readonly [kind: 'integer', min?: number, max?: number];

/**
 * The fields in signing order. A name that ends in `?` may be absent, one that ends in `*` may be
 * null, and one that ends in `?*` may be either.
 */
export type ObjectShape = { readonly [name: string]: Shape };

/** A field of an object shape, with its marks as booleans. */
type ShapeField = {
  readonly name: string;
  readonly shape: Shape;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
};

/** Returns the fields of an object shape, in order. */
export function fieldsOf(shape: ObjectShape): ShapeField[] {
  return Object.entries(shape).map(([marked, field]) => ({
    name: marked.replace(/[?*]+$/, ''),
    shape: field,
    isOptional: marked.includes('?'),
    isNullable: marked.endsWith('*'),
  }));
}

/** Returns true for the shape of an object with fields. */
export function isObjectShape(shape: Shape): shape is ObjectShape {
  return typeof shape === 'object' && !Array.isArray(shape);
}

type Path = readonly (string | number)[];

/** The position and value that do not match a shape. */
type Mismatch = {
  readonly path: Path;
  readonly value: unknown;
  readonly allowed?: Details['allowed'];
  /** The message for a list with too few or too many entries. */
  readonly count?: string;
  readonly isReserved?: boolean;
};

/**
 * Returns the refusal that the venue would send because of a request's form: the same message, for
 * the first fault in the order of the fields. The result is undefined if no fault was found; the
 * venue can still reject the request.
 */
export function checkShape(
  shape: Shape,
  request: unknown,
  prefix: Path = [],
): WireError | undefined {
  const mismatch = mismatchOf(shape, request, prefix);
  if (mismatch === undefined) return undefined;
  const { path, value, allowed, count } = mismatch;
  const field = fieldPath(path);
  if (count !== undefined) return wireError('BAD_REQUEST', count, { field });
  const details = detailsOf(field, value, allowed);
  if (mismatch.isReserved === true) {
    return wireError('NOT_ALLOWED', notAllowed(), details);
  }
  const say = value === undefined ? missingField : wrongType;
  return wireError('BAD_REQUEST', say(nameOf(path)), details);
}

function mismatchOf(shape: Shape, value: unknown, path: Path): Mismatch | undefined {
  if (isObjectShape(shape)) {
    if (!isObject(value)) return { path, value };
    for (const { name, shape: field, isOptional, isNullable } of fieldsOf(shape)) {
      const held = value[name];
      if (isOptional && held === undefined) continue;
      if (isNullable && held === null) continue;
      const mismatch = mismatchOf(field, held, [...path, name]);
      if (mismatch !== undefined) return mismatch;
    }
    return undefined;
  }
  if (typeof shape === 'string') {
    if (SCALARS[shape](value)) return undefined;
    return shape === 'never' ? { path, value, isReserved: true } : { path, value };
  }
  switch (shape[0]) {
    case 'list': {
      const [, entry, min, max, name] = shape;
      if (!Array.isArray(value)) return { path, value };
      if (value.length < min || value.length > max) {
        return { path, value, count: entryCount(name, min, max) };
      }
      for (const [index, held] of value.entries()) {
        const mismatch = mismatchOf(entry, held, [...path, index]);
        if (mismatch !== undefined) return mismatch;
      }
      return undefined;
    }
    case 'enum': {
      if (typeof value !== 'string') return { path, value };
      const [, values, aliases = []] = shape;
      const text = value.toLowerCase();
      if ([...values, ...aliases].some((each) => each.toLowerCase() === text)) return undefined;
      return { path, value, allowed: values };
    }
    case 'is': {
      const [, ...values] = shape;
      if (values.includes(value as string)) return undefined;
      return { path, value, allowed: values.filter((each) => typeof each !== 'boolean') };
    }
    case 'integer': {
      const [, min, max] = shape;
      if (!Number.isSafeInteger(value)) return { path, value };
      if (min !== undefined && (value as number) < min) return { path, value, allowed: { min } };
      if (max !== undefined && (value as number) > max) return { path, value, allowed: { max } };
      return undefined;
    }
  }
}

const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && pattern.test(value);

const SCALARS: Readonly<Record<ScalarShape, (value: unknown) => boolean>> = {
  any: () => true,
  never: (value) => value === undefined,
  boolean: (value) => typeof value === 'boolean',
  text: (value) => typeof value === 'string',
  decimal: (value) => typeof value === 'string' && isDecimalText(value),
  address: matches(/^0x[0-9a-f]{40}$/i),
  hash: matches(/^0x[0-9a-f]{64}$/i),
  id: matches(/^[0-9]{1,10}$/),
  object: isObject,
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a request without undefined fields and with its keys in the order of its shape. The venue
 * accepts any order, but a fixed order makes clients' bytes reproducible. Throws a `RangeError` for
 * an unknown key, because a misspelt optional field would be signed and then ignored.
 */
export function arrange<Value>(shape: Shape, value: Value, path: string): Value {
  return arranged(shape, value, path) as Value;
}

function arranged(shape: Shape, value: unknown, path: string): unknown {
  if (typeof shape === 'string') return value;
  if (!isObjectShape(shape)) {
    if (shape[0] !== 'list' || !Array.isArray(value)) return value;
    return value.map((entry, index) => arranged(shape[1], entry, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const source = value as Readonly<Record<string, unknown>>;
  const fields = fieldsOf(shape);
  const known = new Set(fields.map(({ name }) => name));
  const unknownKey = Object.keys(source).find((key) => !known.has(key));
  if (unknownKey !== undefined) throw new RangeError(`unknown key: ${path}.${unknownKey}`);
  const ordered: Record<string, unknown> = {};
  for (const { name, shape: field } of fields) {
    const held = source[name];
    if (held !== undefined) ordered[name] = arranged(field, held, `${path}.${name}`);
  }
  return ordered;
}
