import type * as z from 'zod';
import { Address, Dec, Hash, IdStr, enumOf } from '../primitives.ts';
import type { IntegerShape, ObjectShape, ScalarShape, Shape } from './shape.ts';

/** The fields of a schema's definition from which a shape is derived. */
type Parts = {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly defaultValue?: unknown;
  readonly values?: readonly (string | number | boolean)[];
  readonly checks?: readonly { readonly _zod: { readonly def: CheckParts } }[];
};

type CheckParts = {
  readonly check: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly value?: number;
  readonly error?: () => string;
};

/** The schemas that are named in shapes. */
const NAMED = new Map<unknown, ScalarShape>([
  [Address, 'address'],
  [Hash, 'hash'],
  [Dec, 'decimal'],
  [IdStr, 'id'],
]);

/**
 * Returns the form that a schema requires, as plain data. Requirements other than types and bounds
 * are omitted.
 */
export function shapeOf(schema: z.core.$ZodType): Shape {
  const named = NAMED.get(schema);
  if (named !== undefined) return named;
  const oneOf = enumOf(schema);
  if (oneOf !== undefined) {
    const aliases = Object.keys(oneOf.aliases);
    return aliases.length === 0 ? ['enum', oneOf.values] : ['enum', oneOf.values, aliases];
  }
  const parts = (schema as z.ZodType).def as unknown as Parts;
  switch (parts.type) {
    case 'object':
      return objectShape(parts.shape ?? {});
    case 'pipe':
      return pipeShape(parts);
    case 'string':
      return 'text';
    case 'boolean':
    case 'never':
      return parts.type;
    case 'number':
      return integerShape(parts);
    case 'literal':
      return ['is', ...(parts.values ?? [])];
    default:
      return parts.innerType === undefined ? 'any' : shapeOf(parts.innerType);
  }
}

/** Returns the default values of an object's fields. */
export function defaultsOf(schema: z.core.$ZodType): Readonly<Record<string, unknown>> {
  const parts = (schema as z.ZodType).def as unknown as Parts;
  if (parts.type === 'pipe' && parts.in !== undefined) return defaultsOf(parts.in);
  const fields = Object.entries(parts.shape ?? {}).flatMap(([name, field]) => {
    const { type, defaultValue } = (field as z.ZodType).def as unknown as Parts;
    return type === 'default' ? [[name, defaultValue] as const] : [];
  });
  return Object.fromEntries(fields);
}

/**
 * Returns the shape of an object. An object without defined fields accepts any keys, because its
 * contents are parsed in a second step.
 */
function objectShape(fields: NonNullable<Parts['shape']>): Shape {
  const entries = Object.entries(fields);
  if (entries.length === 0) return 'object';
  const shape: Record<string, Shape> = {};
  for (const [name, field] of entries) shape[name + marksOf(field)] = shapeOf(field);
  return shape as ObjectShape;
}

function marksOf(schema: z.core.$ZodType): string {
  let optional = '';
  let nullable = '';
  for (let each: z.core.$ZodType | undefined = schema; each !== undefined;) {
    const { type, innerType } = (each as z.ZodType).def as unknown as Parts;
    if (type === 'optional' || type === 'default') optional = '?';
    if (type === 'nullable') nullable = '*';
    if (type === 'unknown') optional = '?';
    each = innerType;
  }
  return optional + nullable;
}

/**
 * Returns the shape of a list whose length is checked before its entries, or of a value that is
 * transformed after parsing.
 */
function pipeShape({ in: before, out: after }: Parts): Shape {
  if (before === undefined) return 'any';
  const first = (before as z.ZodType).def as unknown as Parts;
  const second = (after as z.ZodType | undefined)?.def as unknown as Parts | undefined;
  if (first.type !== 'array' || second?.type !== 'array') return shapeOf(before);
  const checks = (first.checks ?? []).map(({ _zod: { def } }) => def);
  const min = checks.find(({ check }) => check === 'min_length')?.minimum ?? 0;
  const max = checks.find(({ check }) => check === 'max_length')?.maximum ?? 0;
  const name = /^(\w+) must hold/.exec(checks[0]?.error?.() ?? '')?.[1] ?? '';
  return ['list', shapeOf(second.element!), min, max, name];
}

function integerShape({ checks = [] }: Parts): IntegerShape {
  const bounds = checks.map(({ _zod: { def } }) => def);
  const min = bounds.find(({ check }) => check === 'greater_than')?.value;
  const max = bounds.find(({ check }) => check === 'less_than')?.value;
  if (max !== undefined) return ['integer', min ?? -Number.MAX_SAFE_INTEGER, max];
  return min === undefined ? ['integer'] : ['integer', min];
}
