import type { Node } from './definitions.ts';
import { upper } from './definitions.ts';
import type { JsonSchema } from './json-schema.ts';

/** Writes the Python queries and answer types, based on the OpenAPI document. */

type Document = {
  readonly paths: { readonly '/info': { readonly post: Node } };
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

const MADE = '# Made by npm run write-openapi.';
/** Longer lines are wrapped. */
const WIDTH = 100;

/** Returns the Python modules by path in the repository. */
export function pythonClient(openApi: Node, asyncApi: Node): ReadonlyMap<string, string> {
  const document = openApi as unknown as Document;
  const streams = asyncApi as unknown as Document;
  const types = new PythonTypes({ ...streams.components.schemas, ...document.components.schemas });
  const queries = queriesModule(document, types);
  const channels = channelsModule(streams);
  return new Map([
    ['python/oddlot/queries.py', queries],
    ['python/oddlot/channels.py', channels],
    ['python/oddlot/types.py', types.module()],
  ]);
}

function queriesModule(document: Document, types: PythonTypes): string {
  const { schemas } = document.components;
  const responses = document.paths['/info'].post['x-responses'] as Readonly<Record<string, string>>;
  const methods = Object.keys(responses).map((query) => {
    const { description = '', properties = {}, required = [] } = schemas[`${upper(query)}Query`]!;
    const fields = Object.entries(properties).filter(
      ([name]) => name !== 'type' && name !== 'exchange_id',
    );
    const isRequired = ([name]: readonly [string, JsonSchema]): boolean => required.includes(name);
    const sorted = [...fields.filter(isRequired), ...fields.filter((each) => !isRequired(each))];
    const parameters = sorted.map(([name, schema]) => {
      const type = parameterType(schema);
      return isRequired([name, schema])
        ? `${snake(name)}: ${type}`
        : `${snake(name)}: ${type} | None = None`;
    });
    const given = sorted.map(([name]) => `${name}=${snake(name)}`);
    const data = schemas[`${upper(query)}Response`]!.properties!['data']!;
    const answer = types
      .typeOf(data, upper(query))
      .replace(/\b([A-Z]\w+)/g, (name) => (types.has(name) ? `types.${name}` : name));
    return [
      `    def ${snake(query)}(`,
      `        self,`,
      ...(parameters.length === 0 ? [] : ['        *,']),
      ...parameters.map((each) => `        ${each},`),
      `    ) -> ${answer}:`,
      ...docstring(description, 8),
      `        return self._query(`,
      `            "${query}",`,
      ...given.map((each) => `            ${each},`),
      `        )`,
      '',
    ].join('\n');
  });
  return `${MADE}
"""The queries of a venue, as methods."""

from __future__ import annotations

from typing import Any, Callable, Literal, Sequence

from . import types

Query = Callable[..., Any]


class Queries:
    """One method per query. Parameters that are None are omitted."""

    def __init__(self, query: Query) -> None:
        self._query = query

${methods.join('\n').trimEnd()}
`;
}

function channelsModule({ components: { schemas } }: Document): string {
  const pathOf = (union: string): string[] =>
    schemas[union]!.oneOf!.map(({ $ref }) => schemas[$ref!.split('/').at(-1)!]!).map(
      ({ properties }) => String(properties!['type']!.const),
    );
  const entries = [
    ...pathOf('WsSubscription').map((name) => [name, '/ws'] as const),
    ...pathOf('ApiWsSubscription').map((name) => [name, '/api-ws'] as const),
  ];
  return `${MADE}
"""The channels of the sockets."""

from __future__ import annotations

from typing import Literal, Mapping

Channel = Literal[
${entries.map(([name]) => `    "${name}",`).join('\n')}
]

#: The path of the socket by channel.
PATHS: Mapping[str, str] = {
${entries.map(([name, path]) => `    "${name}": "${path}",`).join('\n')}
}
`;
}

function parameterType(schema: JsonSchema): string {
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum !== undefined) return enumType(schema.enum);
  if (schema.anyOf !== undefined) {
    const types = schema.anyOf.map(parameterType).filter((type) => type !== 'None');
    return [...new Set(types)].join(' | ');
  }
  if (schema.type === 'array') {
    return schema.items ? `Sequence[${parameterType(schema.items)}]` : 'Sequence[Any]';
  }
  return SCALARS[String(schema.type)] ?? 'Any';
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

const literal = (value: string | number | boolean | null): string => {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null) return 'None';
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);
};

const enumType = (values: readonly (string | number | boolean | null)[]): string =>
  `Literal[${values.map(literal).join(', ')}]`;

/** Python keywords, which a class cannot use as field names. */
const KEYWORDS: ReadonlySet<string> = new Set(['from', 'in', 'is', 'class', 'import', 'not']);

/** Converts a name such as `feeTierInfo` to `fee_tier_info`. */
function snake(name: string): string {
  return name.replace(/(?<=[a-z0-9])([A-Z])/g, '_$1').toLowerCase();
}

function docstring(text: string, indent: number): string[] {
  const space = ' '.repeat(indent);
  const lines = wrapped(text, WIDTH - indent - 6);
  if (lines.length === 1) return [`${space}"""${lines[0]}"""`];
  return [`${space}"""`, ...lines.map((line) => space + line), `${space}"""`];
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

/** Collects the TypedDict classes of all response objects. */
class PythonTypes {
  readonly #schemas: Readonly<Record<string, JsonSchema>>;
  readonly #classes = new Map<string, string>();

  constructor(schemas: Readonly<Record<string, JsonSchema>>) {
    this.#schemas = schemas;
  }

  has(name: string): boolean {
    return this.#classes.has(name);
  }

  /**
   * Returns the annotation for a value. Objects become classes, and an unnamed object takes the
   * given name.
   */
  typeOf(schema: JsonSchema, name: string): string {
    if (schema.$ref !== undefined) {
      const target = schema.$ref.split('/').at(-1)!;
      return this.typeOf(this.#schemas[target]!, target);
    }
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum !== undefined) return enumType(schema.enum);
    if (schema.anyOf !== undefined) {
      const types = schema.anyOf.map((each, index) => this.typeOf(each, `${name}${index + 1}`));
      return [...new Set(types)].join(' | ');
    }
    if (schema.prefixItems !== undefined) {
      // JSON has only arrays, so a tuple becomes a list.
      const types = schema.prefixItems.map((each, index) => this.typeOf(each, name + index));
      return `list[${[...new Set(types)].join(' | ')}]`;
    }
    if (schema.type === 'array') return `list[${this.typeOf(schema.items || {}, `${name}Row`)}]`;
    if (schema.type === 'object') return this.#object(schema, name);
    if (Array.isArray(schema.type)) {
      return schema.type.map((each) => SCALARS[each] ?? 'Any').join(' | ');
    }
    return SCALARS[String(schema.type)] ?? 'Any';
  }

  #object({ description, properties, required = [] }: JsonSchema, name: string): string {
    if (properties === undefined) return 'dict[str, Any]';
    if (this.#classes.has(name)) return name;
    this.#classes.set(name, '');
    const fields = Object.entries(properties).map(([key, field]) => {
      const type = this.typeOf(field, name + upper(key));
      const { description: meaning } = field;
      const lines = meaning === undefined ? [] : wrapped(meaning, WIDTH - 7);
      const held = required.includes(key) ? type : `NotRequired[${type}]`;
      return [...lines.map((line) => `    #: ${line}`), `    ${key}: ${held}`].join('\n');
    });
    if (Object.keys(properties).some((key) => KEYWORDS.has(key))) {
      const entries = Object.entries(properties).map(([key, field]) => {
        const type = this.typeOf(field, name + upper(key));
        const held = required.includes(key) ? type : `NotRequired[${type}]`;
        return `        "${key}": '${held}',`;
      });
      const lines = [`${name} = TypedDict(`, `    "${name}",`, '    {', ...entries, '    },', ')'];
      this.#classes.set(name, lines.join('\n'));
      return name;
    }
    const text = description === undefined ? [] : docstring(description, 4);
    this.#classes.set(name, [`class ${name}(TypedDict):`, ...text, ...fields].join('\n'));
    return name;
  }

  module(): string {
    const classes = [...this.#classes].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return `${MADE}
"""The answers of queries. Amounts, prices and sizes are decimals as text."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


${classes.map(([, text]) => text).join('\n\n\n')}
`;
  }
}
