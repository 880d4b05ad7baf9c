import type { Json, Part } from './recorder.ts';

/** How samples are written into a page, and read from it. */

const WIDTH = 110;
/** Longer texts, such as a MessagePack, are cut. */
const TEXT_MAX = 200;
const TEXT_KEPT = 64;
/** An array of objects shows its first one, or two if they are small. */
const SMALL_KEYS = 6;
const SCALARS_MAX = 10;

const PLACE = /<!-- sample: (\S+) -->\n([^]*?)<!-- \/sample -->/g;

/** A value with long arrays and texts cut. */
export function shortened(value: Json): Json {
  if (typeof value === 'string') {
    return value.length > TEXT_MAX ? `${value.slice(0, TEXT_KEPT)}…` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return firstOf(value).map(shortened);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function firstOf(list: readonly Json[]): readonly Json[] {
  const [first] = list;
  if (typeof first !== 'object' || first === null) return list.slice(0, SCALARS_MAX);
  if (isList(first)) return list.slice(0, 2);
  return list.slice(0, Object.keys(first).length > SMALL_KEYS ? 1 : 2);
}

/** The keys of a value and the types behind them. */
export function shapeOf(value: Json): Json {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (isList(value)) {
    const shapes = value.map((each) => JSON.stringify(shapeOf(each)));
    return [...new Set(shapes)].sort().map((shape) => JSON.parse(shape) as Json);
  }
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, shapeOf(value[key]!)]));
}

/** A page with each sample in its place. */
export function withSamples(page: string, samples: ReadonlyMap<string, readonly Part[]>): string {
  return page.replace(PLACE, (_, name: string) => {
    const parts = samples.get(name);
    if (parts === undefined) throw new Error(`there is no sample of ${name}`);
    return `<!-- sample: ${name} -->\n\n${parts.map(written).join('\n')}\n<!-- /sample -->`;
  });
}

function written({ label, value }: Part): string {
  return `${label}:\n\n\`\`\`json\n${printed(shortened(value), 0)}\n\`\`\`\n`;
}

/** The samples of a page, by name. */
export function samplesOf(page: string): ReadonlyMap<string, readonly Part[]> {
  return new Map(
    [...page.matchAll(PLACE)].map(([, name = '', text = '']) => [
      name,
      [...text.matchAll(/^(.+):\n\n```json\n([^]*?)\n```$/gm)].map(([, label = '', json = '']) => ({
        label,
        value: JSON.parse(json) as Json,
      })),
    ]),
  );
}

/** JSON with a line for each value that fits into it. */
function printed(value: Json, indent: number): string {
  const inline = onOneLine(value);
  if (inline.length + indent <= WIDTH || typeof value !== 'object' || value === null) return inline;
  const inner = ' '.repeat(indent + 2);
  const lines = isList(value)
    ? value.map((each) => printed(each, indent + 2))
    : Object.entries(value).map(
        ([key, each]) => `${JSON.stringify(key)}: ${printed(each, indent + 2)}`,
      );
  const [open, close] = isList(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${inner}${packed(lines, indent + 2).join(`,\n${inner}`)}\n${' '.repeat(indent)}${close}`;
}

/** Short fields share a line. */
function packed(fields: readonly string[], indent: number): string[] {
  const lines: string[] = [];
  for (const field of fields) {
    const last = lines.at(-1);
    const isShort = last !== undefined && !`${last}${field}`.includes('\n');
    if (isShort && last.length + field.length + indent + 3 <= WIDTH) {
      lines[lines.length - 1] = `${last}, ${field}`;
    } else lines.push(field);
  }
  return lines;
}

function onOneLine(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(onOneLine).join(', ')}]`;
  const fields = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${onOneLine(each)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
