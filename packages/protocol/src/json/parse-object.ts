import type { WireError } from '../errors.ts';
import { refusal } from '../refusal.ts';
import { jsonRefusal } from './json-refusal.ts';
import { checkJson } from './scan.ts';

type ParsedObject =
  | { readonly ok: true; readonly body: Record<string, unknown> }
  | { readonly ok: false; readonly error: WireError };

/** Reads a text as an object; strictly means without repeated keys and odd numbers. */
export function parseObject(text: string, isStrict: boolean): ParsedObject {
  const value = parseJson(text);
  if (value === undefined || isStrict) {
    const checked = checkJson(text);
    if (!checked.ok) {
      return { ok: false, error: jsonRefusal(text, checked) };
    }
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { ok: true, body: value as Record<string, unknown> };
  }
  return { ok: false, error: refusal('notAnObject', []) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The strict reader says why and where in words that do not depend on the runtime.
    return undefined;
  }
}
