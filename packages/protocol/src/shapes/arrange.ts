import { fieldsOf, isObjectShape, type Shape } from './shape.ts';

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
