import type * as z from 'zod';
import { actionDefinition } from './actions/registry.ts';
import type { WireError } from './errors.ts';
import { refusal } from './refusal.ts';
import { LIMITS } from './limits.ts';
import { EnvelopeSchema } from './parse.ts';

/**
 * The known keys of a schema's objects and of the entries of its lists. If a schema has neither,
 * there is nothing to check.
 */
export type Named = {
  /** The known keys; undefined if the value is not an object with fixed keys. */
  readonly keys?: ReadonlyMap<string, Named>;
  readonly items?: Named;
  /** Set for an action or envelope, which has its own schema. */
  readonly isOpen?: true;
};

/** Collects the known keys of a schema at any depth. */
export function namedBy(schema: z.core.$ZodType): Named {
  const { def } = schema as z.ZodType;
  const parts = def as unknown as SchemaParts;
  switch (def.type) {
    case 'object': {
      const entries = Object.entries(parts.shape ?? {});
      // An object without defined fields has no unknown ones, because its contents are parsed in a
      // second step.
      if (entries.length === 0) return { isOpen: true };
      return { keys: new Map(entries.map(([key, value]) => [key, namedBy(value)])) };
    }
    case 'array':
      return parts.element === undefined ? {} : { items: namedBy(parts.element) };
    case 'pipe':
      return joined([parts.in, parts.out]);
    case 'union':
      return joined(parts.options ?? []);
    default:
      return parts.innerType === undefined ? {} : namedBy(parts.innerType);
  }
}

type SchemaParts = {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly innerType?: z.core.$ZodType;
};

/** Combines several schemas. A key defined in any of them is known. */
function joined(schemas: readonly (z.core.$ZodType | undefined)[]): Named {
  let all: Named = {};
  for (const schema of schemas) if (schema !== undefined) all = join(all, namedBy(schema));
  return all;
}

function join(one: Named, other: Named): Named {
  const keys = new Map(one.keys);
  for (const [key, named] of other.keys ?? []) keys.set(key, join(keys.get(key) ?? {}, named));
  const items =
    one.items !== undefined && other.items !== undefined
      ? join(one.items, other.items)
      : (one.items ?? other.items);
  return {
    ...(one.keys === undefined && other.keys === undefined ? {} : { keys }),
    ...(items === undefined ? {} : { items }),
    ...(one.isOpen === true || other.isOpen === true ? { isOpen: true } : {}),
  };
}

/**
 * Rejects a body with too many bytes under unknown keys, or in their names (R-requests). Unknown
 * keys are ignored, but those in an action are signed and stored; the limit prevents clients from
 * using them as storage. Returns undefined if the body is within the limits.
 */
export function checkUnknownFields(named: Named, body: unknown): WireError | undefined {
  const found: Found = { names: 0, values: 0 };
  count(named, body, found);
  if (found.names <= LIMITS.unknownBytesMax && found.values <= LIMITS.unknownBytesMax) {
    return undefined;
  }
  const allowed = { max: LIMITS.unknownBytesMax };
  return refusal('unknownFieldsTooLarge', [LIMITS.unknownBytesMax], { allowed });
}

/** The number of bytes of JSON text in names and in values. */
type Found = { names: number; values: number };

function count(named: Named, value: unknown, found: Found): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (named.items === undefined || isEmpty(named.items)) return;
    for (const each of value) count(named.items, each, found);
    return;
  }
  const { keys } = named.isOpen === true ? openNamed(value as object) : named;
  if (keys === undefined) return;
  for (const key in value) {
    const below = keys.get(key);
    const held = (value as Record<string, unknown>)[key];
    if (below === undefined) {
      found.names += bytesOf(key);
      found.values += bytesOf(held);
    } else if (typeof held === 'object') {
      count(below, held, found);
    }
  }
}

function isEmpty({ keys, items, isOpen }: Named): boolean {
  return keys === undefined && items === undefined && isOpen !== true;
}

const encoder = new TextEncoder();

/**
 * Counts bytes of JSON text, exactly up to the limit. The count stops above the limit, so that a
 * deeply nested value costs no more than one that is slightly too large.
 */
function bytesOf(value: unknown, limit: number = LIMITS.unknownBytesMax): number {
  if (limit <= 0) return 1;
  if (typeof value === 'string') {
    if (value.length > limit) return value.length;
    return encoder.encode(JSON.stringify(value)).length;
  }
  if (typeof value !== 'object' || value === null) return String(value).length;
  const isList = Array.isArray(value);
  // The brackets, and a comma before each entry except the first, are also counted.
  let bytes = 1;
  for (const [key, held] of Object.entries(value)) {
    if (!isList) bytes += bytesOf(key, limit - bytes) + 1;
    bytes += bytesOf(held, limit - bytes) + 1;
    if (bytes > limit + 1) return bytes;
  }
  return Math.max(bytes, 2);
}

const actionsNamed = new Map<string, Named>();
const NOTHING: Named = {};

/**
 * Returns the known keys of a value that is an action of a known type or an envelope around one.
 */
function openNamed(value: object): Named {
  const { type, action } = value as { readonly type?: unknown; readonly action?: unknown };
  if (typeof type === 'string') return actionNamed(type);
  return action === undefined ? NOTHING : ENVELOPE_NAMED;
}

function actionNamed(type: string): Named {
  let named = actionsNamed.get(type);
  if (named !== undefined) return named;
  const definition = actionDefinition(type);
  if (definition === undefined) return NOTHING;
  named = namedBy(definition.schema);
  actionsNamed.set(type, named);
  return named;
}

/** The known keys of the /exchange envelope, including those of its action. */
export const ENVELOPE_NAMED: Named = namedBy(EnvelopeSchema);
