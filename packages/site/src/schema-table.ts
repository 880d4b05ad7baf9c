/** The JSON Schema keywords used in the API descriptions. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | false;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly discriminator?: { readonly mapping: Readonly<Record<string, string>> };
};

type Schemas = Readonly<Record<string, JsonSchema>>;
type Row = { readonly name: string; readonly schema: JsonSchema; readonly isRequired: boolean };

/** Fields that are omitted, because every request has them. */
const LEFT_OUT: ReadonlySet<string> = new Set(['type']);
/** The maximum depth of listed fields. Deeper fields are described in the linked definition. */
const DEPTH_MAX = 4;

/** Returns a table of a request's fields, or an empty string if it has none. */
export function fieldTable(schema: JsonSchema, schemas: Schemas): string {
  const rows = rowsOf(schema, schemas, '', 0).filter(({ name }) => !LEFT_OUT.has(name));
  if (rows.length === 0) return '';
  const lines = rows.map(({ isRequired, name, schema: field }) => {
    const meaning = [field.description ?? '', boundsOf(resolved(field, schemas))]
      .filter((text) => text !== '')
      .join(' ');
    return `| \`${name}\` | ${typeOf(field, schemas)} | ${isRequired ? 'yes' : 'no'} | ${cell(meaning)} |`;
  });
  return ['| Field | Type | Required | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}

function rowsOf(schema: JsonSchema, schemas: Schemas, path: string, depth: number): Row[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([key, field]) => {
    const name = path + key;
    const row = { name, schema: field, isRequired: required.includes(key) };
    return [row, ...rowsBelow(field, schemas, name, depth)];
  });
}

function rowsBelow(field: JsonSchema, schemas: Schemas, name: string, depth: number): Row[] {
  if (depth >= DEPTH_MAX) return [];
  const target = resolved(field, schemas);
  if (target.discriminator !== undefined) return [];
  if (target.items !== undefined && target.items !== false) {
    return rowsBelow(target.items, schemas, `${name}[]`, depth + 1);
  }
  const objects = [target, ...(target.anyOf ?? []).map((each) => resolved(each, schemas))];
  return objects.flatMap((each) => rowsOf(each, schemas, `${name}.`, depth + 1));
}

function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  return schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)!]!;
}

function typeOf(schema: JsonSchema, schemas: Schemas): string {
  const target = resolved(schema, schemas);
  const options = [...(target.anyOf ?? []), ...(target.oneOf ?? [])];
  if (target.discriminator !== undefined) return 'object';
  if (options.length > 0) {
    return [...new Set(options.map((each) => typeOf(each, schemas)))].join(' or ');
  }
  if (target.const !== undefined) return value(target.const);
  if (target.enum !== undefined) return target.enum.map(value).join(', ');
  if (target.format === 'decimal') return 'decimal';
  if (target.pattern?.includes('{40}')) return 'address';
  if (target.pattern?.includes('{64}')) return 'hash';
  if (target.items !== undefined && target.items !== false) {
    return `array of ${typeOf(target.items, schemas)}`;
  }
  const { type = 'any' } = target;
  return typeof type === 'string' ? type : type.join(' or ');
}

const value = (constant: unknown): string => (constant === '' ? '`""`' : `\`${String(constant)}\``);

/** Returns the field's bounds, leaving out bounds that come from the number format. */
function boundsOf({ maxItems, maximum, maxLength, minItems, minimum }: JsonSchema): string {
  if (maxItems !== undefined) return `Entries: ${minItems ?? 0} to ${maxItems}.`;
  if (maxLength !== undefined) return `At most ${maxLength.toLocaleString('en')} characters.`;
  // The largest safe integer and the largest 32-bit integer are bounds of the format rather than of
  // the field.
  if (maximum === undefined || maximum >= 2 ** 31 - 1) return '';
  return `Range: ${minimum ?? 0} to ${maximum.toLocaleString('en')}.`;
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);
