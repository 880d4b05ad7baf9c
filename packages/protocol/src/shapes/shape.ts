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
 * What a request looks like, as plain data: enough for a client to bring the keys of an action into the order that is
 * signed, and to find what the venue would refuse for its form. The schemas are the truth. They need a library that is three
 * times as large as a client may be, so clients carry these, which `npm run write-shapes` derives from the schemas.
 *
 * What a schema says beyond form (an expiry that goes with `Gtd` alone) is not here: the venue says it.
 */
export type Shape = ScalarShape | ListShape | EnumShape | LiteralShape | IntegerShape | ObjectShape;

/** `any` is whatever the venue makes of it; `never` is a key that is kept for later. */
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

/** Entries of one shape, with their least and largest number and the name that a refusal calls the list by. */
type ListShape = readonly [kind: 'list', entry: Shape, min: number, max: number, name: string];

/** One of some texts, in any case; `aliases` are taken too, and not told. */
type EnumShape = readonly [kind: 'enum', values: readonly string[], aliases?: readonly string[]];

/** One of some values, exactly. */
type LiteralShape = readonly [kind: 'is', ...values: readonly (string | number | boolean)[]];

/** An integer of a range; without an end, up to what JSON carries exactly. */
export type IntegerShape = readonly [kind: 'integer', min?: number, max?: number];

/**
 * The fields in the order that is signed. A name that ends in `?` may be absent, one that ends in `*` may be null, and one that
 * ends in `?*` may be both.
 */
export type ObjectShape = { readonly [name: string]: Shape };

/** A field of an object shape, its marks read. */
type ShapeField = {
  readonly name: string;
  readonly shape: Shape;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
};

/** The fields of an object shape, in their order. */
export function fieldsOf(shape: ObjectShape): ShapeField[] {
  return Object.entries(shape).map(([marked, field]) => ({
    name: marked.replace(/[?*]+$/, ''),
    shape: field,
    isOptional: marked.includes('?'),
    isNullable: marked.endsWith('*'),
  }));
}

/** True for the shape of an object with fields. */
export function isObjectShape(shape: Shape): shape is ObjectShape {
  return typeof shape === 'object' && !Array.isArray(shape);
}

type Path = readonly (string | number)[];

/** Where a request does not fit, with what stands there. */
type Misfit = {
  readonly path: Path;
  readonly value: unknown;
  readonly allowed?: Details['allowed'];
  /** Of a list with too few or too many entries. */
  readonly count?: string;
  readonly isReserved?: boolean;
};

/**
 * What the venue would refuse a request for, found by its shape: in the same words, and the first fault in the order of the
 * fields. Undefined when nothing is found, which is no promise.
 */
export function checkShape(
  shape: Shape,
  request: unknown,
  prefix: Path = [],
): WireError | undefined {
  const misfit = misfitOf(shape, request, prefix);
  if (misfit === undefined) return undefined;
  const { path, value, allowed, count } = misfit;
  const field = fieldPath(path);
  if (count !== undefined) return wireError('BAD_REQUEST', count, { field });
  const details = detailsOf(field, value, allowed);
  if (misfit.isReserved === true) {
    return wireError('NOT_ALLOWED', notAllowed(), details);
  }
  const say = value === undefined ? missingField : wrongType;
  return wireError('BAD_REQUEST', say(nameOf(path)), details);
}

function misfitOf(shape: Shape, value: unknown, path: Path): Misfit | undefined {
  if (isObjectShape(shape)) {
    if (!isObject(value)) return { path, value };
    for (const { name, shape: field, isOptional, isNullable } of fieldsOf(shape)) {
      const held = value[name];
      if (isOptional && held === undefined) continue;
      if (isNullable && held === null) continue;
      const misfit = misfitOf(field, held, [...path, name]);
      if (misfit !== undefined) return misfit;
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
        const misfit = misfitOf(entry, held, [...path, index]);
        if (misfit !== undefined) return misfit;
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
 * A request with its keys in the order of its shape, without undefined fields. The venue accepts any order; one order makes the
 * bytes of our clients reproducible. Throws a `RangeError` on an unknown key, because a misspelt optional field would be
 * signed and then ignored.
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
