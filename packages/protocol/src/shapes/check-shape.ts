import { isDecimalText } from '@oddlot/units';
import { detailsOf, fieldPath, nameOf } from '../field-path.ts';
import { entryCount, missingField, notAllowed, wrongType } from '../shared-texts.ts';
import { wireError, type Details, type WireError } from '../errors.ts';
import { fieldsOf, isObjectShape, type ScalarShape, type Shape } from './shape.ts';

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
