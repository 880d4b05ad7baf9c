import type { Details } from './errors.ts';

/** A path in the way the interface writes it: `orders[3].p`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}

/** The name that a refusal calls the field by. */
export function nameOf(path: readonly PropertyKey[]): string {
  return String(path.findLast((part) => typeof part === 'string') ?? 'action');
}

/** What stands at a path of a request. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** What a refusal tells of a field: where it is, what was there, what may be. */
export function detailsOf(field: string, value: unknown, allowed: Details['allowed']): Details {
  const isScalar = typeof value === 'string' || typeof value === 'number' || value === null;
  return {
    ...(field === '' ? {} : { field }),
    ...(isScalar ? { got: value } : {}),
    ...(allowed === undefined ? {} : { allowed }),
  };
}
