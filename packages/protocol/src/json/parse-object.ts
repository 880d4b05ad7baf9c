import { fieldPath, type WireError } from '../errors.ts';
import { refusal } from '../refusal.ts';
import { checkJson, type ScanFault } from './scan.ts';
import { LIMITS } from '../limits.ts';

type ParsedObject =
  | { readonly ok: true; readonly body: Record<string, unknown> }
  | { readonly ok: false; readonly error: WireError };

/**
 * Parses a text as an object. With `isStrict`, it also rejects repeated keys and numbers that are
 * not safe integers.
 */
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
    // The strict reader then reports the reason and position, independently of the JavaScript
    // runtime.
    return undefined;
  }
}

/**
 * The length to which names and numbers are cut in messages, because clients can send strings of
 * any length.
 */
const SHOWN_MAX = 64;

const NUMBER = /[-+0-9.eE]+/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const COLON = /[ \t\r\n]*:/y;

/**
 * Builds the refusal for a text rejected by the strict reader. If valid JSON is rejected, for
 * example for a repeated key, the refusal includes the field. Paths start below the key `root`, as
 * in refusals of an action.
 */
export function jsonRefusal(
  text: string,
  { message, at }: Pick<ScanFault, 'message' | 'at'>,
  root?: string,
): WireError {
  switch (message) {
    case 'duplicate key': {
      const key = stringAt(text, at);
      const path = [...pathTo(text, at).slice(0, -1), key];
      return refusal('duplicateKey', [shown(key)], { field: fieldOf(path, root) });
    }
    case 'not an integer':
    case 'negative zero':
    case 'integer too large': {
      const got = shown(matchAt(NUMBER, text, at));
      const field = fieldOf(pathTo(text, at), root);
      if (message !== 'integer too large') return refusal('notAnInteger', [got], { field, got });
      const max = Number.MAX_SAFE_INTEGER;
      return refusal('integerOutOfRange', [got], { field, got, allowed: { min: -max, max } });
    }
    case 'nested too deeply':
      return refusal('nestedTooDeeply', [LIMITS.jsonDepthMax]);
    default:
      return refusal('malformedJson', [message, at]);
  }
}

type Path = (string | number)[];

/**
 * Returns the keys and indexes that lead to an offset. The text must be valid JSON up to that
 * offset.
 */
function pathTo(text: string, at: number): Path {
  const path: Path = [];
  for (let position = 0; position < at; position++) {
    switch (text[position]) {
      case '{':
        path.push('');
        break;
      case '[':
        path.push(0);
        break;
      case '}':
      case ']':
        path.pop();
        break;
      case ',': {
        const last = path.at(-1);
        if (typeof last === 'number') path[path.length - 1] = last + 1;
        break;
      }
      case '"': {
        const whole = matchAt(STRING, text, position);
        position += whole.length - 1;
        const isKey = matchAt(COLON, text, position + 1) !== '';
        if (isKey) path[path.length - 1] = textOf(whole);
        break;
      }
    }
  }
  return path;
}

function fieldOf(path: Path, root: string | undefined): string {
  const [first, ...rest] = path;
  return shown(fieldPath(first === root && rest.length > 0 ? rest : path));
}

function stringAt(text: string, at: number): string {
  return textOf(matchAt(STRING, text, at));
}

function textOf(quoted: string): string {
  return quoted === '' ? '' : String(JSON.parse(quoted));
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function shown(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}
