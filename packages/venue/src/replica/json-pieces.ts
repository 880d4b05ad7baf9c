/**
 * JSON of a large value in pieces: together they are what `JSON.stringify` gives, and no piece takes long.
 * Dumps are trees of plain objects whose long parts are lists near the top.
 */

/** Levels that are taken apart; what lies deeper is small. */
const DEPTH_MAX = 6;
/** Values of a list that are turned into text at once, where they are not lists themselves. */
const VALUES_AT_ONCE = 64;
/** Characters of a piece, about. */
const PIECE_CHARS = 64 * 1024;

/** Texts of a useful size, in order. */
export function* jsonPieces(value: unknown): Generator<string> {
  let text = '';
  for (const part of partsOf(value, 0)) {
    text += part;
    if (text.length < PIECE_CHARS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function* partsOf(value: unknown, depth: number): Generator<string> {
  if (Array.isArray(value) && depth < DEPTH_MAX) yield* partsOfList(value, depth);
  else if (isPlain(value) && depth < DEPTH_MAX) yield* partsOfObject(value, depth);
  // As in a list, where what has no JSON is null.
  else yield JSON.stringify(value) ?? 'null';
}

function* partsOfList(list: readonly unknown[], depth: number): Generator<string> {
  yield '[';
  for (let from = 0; from < list.length; from += VALUES_AT_ONCE) {
    const values = list.slice(from, from + VALUES_AT_ONCE);
    if (from > 0) yield ',';
    if (values.some(isLong)) yield* partsOfEach(values, depth);
    else yield JSON.stringify(values).slice(1, -1);
  }
  yield ']';
}

function* partsOfEach(values: readonly unknown[], depth: number): Generator<string> {
  for (const [index, value] of values.entries()) {
    if (index > 0) yield ',';
    yield* partsOf(value, depth + 1);
  }
}

function* partsOfObject(object: Readonly<Record<string, unknown>>, depth: number) {
  yield '{';
  let isFirst = true;
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue;
    yield `${isFirst ? '' : ','}${JSON.stringify(key)}:`;
    isFirst = false;
    yield* partsOf(value, depth + 1);
  }
  yield '}';
}

/** True for a value that may hold much, so that it is taken apart by itself. */
function isLong(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => Array.isArray(each) || isPlain(each));
  return (
    isPlain(value) && Object.values(value).some((each) => Array.isArray(each) || isPlain(each))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
