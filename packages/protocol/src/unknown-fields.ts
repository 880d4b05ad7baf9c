import type * as z from 'zod';
import { actionDefinition } from './actions/registry.ts';
import type { WireError } from './errors.ts';
import { refusal } from './refusal.ts';
import { LIMITS } from './limits.ts';
import { EnvelopeSchema } from './parse.ts';

/**
 * Keys outside the schemas are ignored, but those of an action are signed and stored. To prevent their use as
 * storage, R-requests bounds them: the bytes of JSON text under such keys, and those of their names.
 */

/** The names in a schema: keys of objects, entries of lists. An empty one has nothing to check. */
export type Named = {
  /** By key. Undefined if the value is not an object with fixed keys. */
  readonly keys?: ReadonlyMap<string, Named>;
  readonly items?: Named;
  /** An action or an envelope, which has its own schema. */
  readonly isOpen?: true;
};

/** The keys of a schema at any depth; computed once per schema. */
export function namedBy(schema: z.core.$ZodType): Named {
  const { def } = schema as z.ZodType;
  const parts = def as unknown as SchemaParts;
  switch (def.type) {
    case 'object': {
      const entries = Object.entries(parts.shape ?? {});
      // A loose object without its own fields is parsed in a second step.
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

/** A key in one of several schemas is known. */
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

/** Rejects a body with too much data under unknown keys; undefined when it is within the limits. */
export function checkUnknownFields(named: Named, body: unknown): WireError | undefined {
  const found: Found = { names: 0, values: 0 };
  count(named, body, found);
  if (found.names <= LIMITS.unknownBytesMax && found.values <= LIMITS.unknownBytesMax) {
    return undefined;
  }
  const allowed = { max: LIMITS.unknownBytesMax };
  return refusal('unknownFieldsTooLarge', [LIMITS.unknownBytesMax], { allowed });
}

/** In bytes of JSON text. */
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
 * Bytes of JSON text, exact up to the bound and then cut short: an endlessly nested value costs no
 * more than one that is just too large.
 */
function bytesOf(value: unknown, room: number = LIMITS.unknownBytesMax): number {
  if (room <= 0) return 1;
  if (typeof value === 'string') {
    if (value.length > room) return value.length;
    return encoder.encode(JSON.stringify(value)).length;
  }
  if (typeof value !== 'object' || value === null) return String(value).length;
  const isList = Array.isArray(value);
  // The brackets, and a comma before each entry but the first.
  let bytes = 1;
  for (const [key, held] of Object.entries(value)) {
    if (!isList) bytes += bytesOf(key, room - bytes) + 1;
    bytes += bytesOf(held, room - bytes) + 1;
    if (bytes > room + 1) return bytes;
  }
  return Math.max(bytes, 2);
}

const actionsNamed = new Map<string, Named>();
const NOTHING: Named = {};

/** The names at an open position: an action of a known type, or an envelope around one. */
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

/** The envelope of /exchange, including its action. */
export const ENVELOPE_NAMED: Named = namedBy(EnvelopeSchema);
