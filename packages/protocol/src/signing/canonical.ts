import * as z from 'zod';
import { actionDefinition, type ActionInput } from '../actions/registry.ts';

/** The keys of an object in signing order, each with the order of its own value's keys. */
export type KeyOrder = ReadonlyMap<string, KeyOrder | undefined>;

const orders = new Map<string, KeyOrder>();

/**
 * An action with its keys in the order of the schema, without undefined fields. The venue accepts
 * any order; one order makes the bytes of our clients reproducible. Throws on an unknown key,
 * because a misspelt optional field would be signed and then ignored.
 */
export function canonicalAction<Input extends ActionInput>(action: Input): Input {
  const order = signingOrder(action.type);
  const ordered = reorder(action, order, action.type) as Record<string, unknown>;
  if (action.type !== 'multiSig') return ordered as unknown as Input;
  const payload = ordered['payload'] as Record<string, unknown>;
  const inner = canonicalAction(payload['action'] as ActionInput);
  ordered['payload'] = { ...payload, action: inner };
  return ordered as unknown as Input;
}

/** The key order of an action type. Throws on a type that does not exist. */
export function signingOrder(type: string): KeyOrder {
  const known = orders.get(type);
  if (known !== undefined) return known;
  const definition = actionDefinition(type);
  const order = definition === undefined ? undefined : orderOf(definition.schema);
  if (order === undefined) throw new RangeError(`unknown action type: ${type}`);
  orders.set(type, order);
  return order;
}

/** The key order of a schema's objects, found through what wraps them; undefined for scalars. */
function orderOf(schema: unknown): KeyOrder | undefined {
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries(schema.shape);
    // An object that takes any key (the inner action) brings its own order.
    if (entries.length === 0) return undefined;
    return new Map(entries.map(([key, value]) => [key, orderOf(value)]));
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return orderOf(schema.unwrap());
  }
  if (schema instanceof z.ZodArray) return orderOf(schema.element);
  if (schema instanceof z.ZodPipe) return orderOf(schema.out) ?? orderOf(schema.in);
  return undefined;
}

function reorder(value: unknown, order: KeyOrder | undefined, path: string): unknown {
  if (Array.isArray(value)) {
    return value.map((entry, index) => reorder(entry, order, `${path}[${index}]`));
  }
  if (order === undefined || typeof value !== 'object' || value === null) return value;
  const source = value as Readonly<Record<string, unknown>>;
  const unknownKey = Object.keys(source).find((key) => !order.has(key));
  if (unknownKey !== undefined) throw new RangeError(`unknown key: ${path}.${unknownKey}`);
  const ordered: Record<string, unknown> = {};
  for (const [key, inner] of order) {
    const field = source[key];
    if (field !== undefined) ordered[key] = reorder(field, inner, `${path}.${key}`);
  }
  return ordered;
}
