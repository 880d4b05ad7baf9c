import type * as z from 'zod';
import {
  Address,
  Cloid,
  Dec,
  Hash,
  IdStr,
  Ms,
  OrderIdOrText,
  enumOf,
} from '../../packages/protocol/src/primitives.ts';
import { ADDRESS, type Components, HASH, type JsonSchema, refTo } from './json-schema.ts';

/** The parts of a zod definition from which a JSON Schema is derived. */
type Parts = {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  /** The entries of a tuple. */
  readonly items?: readonly z.core.$ZodType[];
  readonly innerType?: z.core.$ZodType;
  readonly defaultValue?: unknown;
  readonly values?: readonly (string | number | boolean)[];
  readonly catchall?: z.core.$ZodType;
  readonly checks?: readonly { readonly _zod: { readonly def: CheckParts } }[];
};

type CheckParts = {
  readonly check: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly value?: number;
  readonly pattern?: RegExp;
};

const partsOf = (schema: z.core.$ZodType): Parts => (schema as z.ZodType).def as unknown as Parts;

/** Definitions whose schema cannot be derived from their code. */
const NAMED = new Map<unknown, JsonSchema>([
  [Address, { type: 'string', pattern: ADDRESS }],
  [Hash, { type: 'string', pattern: HASH }],
  [Dec, { type: 'string', format: 'decimal' }],
  [IdStr, { type: 'string', pattern: '^[0-9]{1,10}$' }],
  [Ms, { type: 'integer', format: 'int64', minimum: 0 }],
  [Cloid, { type: 'string' }],
  [
    OrderIdOrText,
    {
      anyOf: [
        { type: 'integer', format: 'int64', minimum: 0 },
        { type: 'string', pattern: '^(0|[1-9][0-9]{0,15})$' },
      ],
    },
  ],
]);

/**
 * Returns the JSON Schema of a request, derived from the definition that validates it. Named
 * schemas are referenced. Conditions that involve several fields are not included, because the
 * reference states them.
 */
export function requestSchema(
  schema: z.core.$ZodType,
  names: ReadonlyMap<unknown, string>,
  components: Components,
): JsonSchema {
  const name = names.get(schema);
  if (name === undefined) return unnamed(schema, names, components);
  if (!components.has(name)) {
    components.set(name, {});
    components.set(name, { title: name, ...unnamed(schema, names, components) });
  }
  return refTo(name);
}

function unnamed(
  schema: z.core.$ZodType,
  names: ReadonlyMap<unknown, string>,
  components: Components,
): JsonSchema {
  const named = NAMED.get(schema);
  if (named !== undefined) return structuredClone(named);
  const oneOf = enumOf(schema);
  if (oneOf !== undefined) {
    const values = [...oneOf.values, ...Object.keys(oneOf.aliases)];
    return { type: 'string', enum: values, 'x-case-insensitive': true };
  }
  const parts = partsOf(schema);
  const inner = (each: z.core.$ZodType) => requestSchema(each, names, components);
  switch (parts.type) {
    case 'object':
      return objectSchema(parts, inner);
    case 'pipe':
      return pipeSchema(parts, inner);
    case 'array':
      return { type: 'array', ...itemCounts(parts), items: inner(parts.element!) };
    case 'tuple': {
      const entries = parts.items!.map(inner);
      const count = { minItems: entries.length, maxItems: entries.length };
      return { type: 'array', prefixItems: entries, items: false, ...count };
    }
    case 'unknown':
      return {};
    case 'union':
      return { anyOf: parts.options!.map(inner) };
    case 'string':
      return { type: 'string', ...textBounds(parts) };
    case 'number':
      return { type: 'integer', format: 'int64', ...numberBounds(parts) };
    case 'boolean':
      return { type: 'boolean' };
    case 'never':
      return { not: {} };
    case 'literal': {
      const values = parts.values!;
      return values.length === 1 ? { const: values[0]! } : { enum: values };
    }
    case 'nullable':
      return { anyOf: [inner(parts.innerType!), { type: 'null' }] };
    case 'default': {
      // Generators treat a field with the keyword `default` as required, so the default is given in
      // the description instead.
      const described = inner(parts.innerType!);
      const value = parts.defaultValue;
      return '$ref' in described ? described : { ...described, 'x-default': value };
    }
    default:
      if (parts.innerType === undefined) throw new Error(`a request with ${parts.type}`);
      return inner(parts.innerType);
  }
}

function objectSchema(
  { shape = {} }: Parts,
  inner: (schema: z.core.$ZodType) => JsonSchema,
): JsonSchema {
  const entries = Object.entries(shape);
  if (entries.length === 0) return { type: 'object' };
  const required = entries.filter(([, field]) => !isOptional(field)).map(([key]) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, field]) => [key, inner(field)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function isOptional(schema: z.core.$ZodType): boolean {
  const { type, innerType, in: before } = partsOf(schema);
  if (type === 'optional' || type === 'default') return true;
  const within = innerType ?? before;
  return within !== undefined && isOptional(within);
}

/**
 * Returns the schema of a pipe. A list's pipe checks the length before the entries; other pipes
 * transform a parsed value.
 */
function pipeSchema(
  { in: before, out: after }: Parts,
  inner: (schema: z.core.$ZodType) => JsonSchema,
): JsonSchema {
  const first = partsOf(before!);
  if (first.type === 'array' && after !== undefined && partsOf(after).type === 'array') {
    return { type: 'array', ...itemCounts(first), items: inner(partsOf(after).element!) };
  }
  return inner(before!);
}

function checksOf({ checks = [] }: Parts): CheckParts[] {
  return checks.map(({ _zod: { def } }) => def);
}

function itemCounts(parts: Parts): JsonSchema {
  const counts: JsonSchema = {};
  for (const { check, minimum, maximum } of checksOf(parts)) {
    if (check === 'min_length') counts.minItems = minimum!;
    if (check === 'max_length') counts.maxItems = maximum!;
  }
  return counts;
}

function textBounds(parts: Parts): JsonSchema {
  const bounds: JsonSchema = {};
  for (const { check, minimum, maximum, pattern } of checksOf(parts)) {
    if (check === 'min_length') bounds.minLength = minimum!;
    if (check === 'max_length') bounds.maxLength = maximum!;
    if (pattern !== undefined) bounds.pattern = pattern.source;
  }
  return bounds;
}

function numberBounds(parts: Parts): JsonSchema {
  const bounds: JsonSchema = {};
  for (const { check, value } of checksOf(parts)) {
    if (check === 'greater_than') bounds.minimum = value!;
    if (check === 'less_than') bounds.maximum = value!;
  }
  return bounds;
}
