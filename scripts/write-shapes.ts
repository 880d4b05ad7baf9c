import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionDefinition } from '../packages/protocol/src/actions/define-action.ts';
import { ACTIONS } from '../packages/protocol/src/actions/registry.ts';
import type { ChannelDefinition } from '../packages/protocol/src/define.ts';
import { EXPORTS } from '../packages/protocol/src/info/export-requests.ts';
import { INFO_QUERIES } from '../packages/protocol/src/info/registry.ts';
import { SERVICE_REQUESTS } from '../packages/protocol/src/info/service-requests.ts';
import { fieldsOf, type ObjectShape, type Shape } from '../packages/protocol/src/shapes/shape.ts';
import { defaultsOf, shapeOf } from '../packages/protocol/src/shapes/shape-of.ts';
import { CHANNELS } from '../packages/protocol/src/streams/channels.ts';

/**
 * Writes the request descriptions and request methods of the clients, based on the venue's
 * definitions (`npm run write-shapes`).
 */

const ROOT = join(import.meta.dirname, '..');
const PROTOCOL = 'packages/protocol/src';
const SHAPES = `${PROTOCOL}/shapes`;
/** The files that contain the definitions and their comments. */
const QUERY_SOURCES = ['market', 'account', 'history', 'venue'].map(
  (subject) => `${PROTOCOL}/info/${subject}-queries.ts`,
);
const ALL_CHANNELS = { ...CHANNELS.ws, ...CHANNELS['api-ws'] };
const CHANNEL_SOURCES = [`${PROTOCOL}/streams/channels.ts`];

type Schema = Parameters<typeof shapeOf>[0];
type Definitions = Readonly<Record<string, { readonly schema: Schema } | Schema>>;

/** Returns the texts of the generated files, keyed by path in the repository. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files: readonly (readonly [path: string, lines: readonly string[]])[] = [
    [`${SHAPES}/action-shapes.ts`, [...shapeImport('ObjectShape'), ...separately(ACTIONS)]],
    [`${SHAPES}/action-tables.ts`, actionTables()],
    [
      `${SHAPES}/info-shapes.ts`,
      [...shapeImport('Shape'), ...table('INFO_SHAPES', INFO_QUERIES, 'Queries of /info')],
    ],
    [`${SHAPES}/channel-shapes.ts`, [...shapeImport('Shape'), ...channelShapes()]],
    [`${SHAPES}/reader-tables.ts`, readerTables()],
    [
      `${SHAPES}/service-shapes.ts`,
      [
        ...shapeImport('Shape'),
        ...table('SERVICE_SHAPES', SERVICE_REQUESTS, 'Requests of the other endpoints'),
        ...table('EXPORT_SHAPES', EXPORTS, 'Parameters of the exports'),
      ],
    ],
    ['packages/sdk/src/info/query-methods.ts', queryMethods()],
    ['packages/sdk/src/streams/channel-methods.ts', channelMethods()],
  ];
  return new Map(files.map(([path, lines]) => [path, formatted(path, lines)]));
}

if (import.meta.main) {
  for (const [path, text] of generatedFiles()) writeFileSync(join(ROOT, path), text);
}

function shapeImport(type: string): readonly string[] {
  return [`import type { ${type} } from './shape.ts';`, ''];
}

/** Returns shapes and defaults for clients that check subscriptions. */
function channelShapes(): string[] {
  const channels = Object.entries<ChannelDefinition>(ALL_CHANNELS);
  const defaults = channels.flatMap(([name, { schema }]) => {
    const found = defaultsOf(schema);
    return Object.keys(found).length === 0 ? [] : [`  ${name}: ${JSON.stringify(found)},`];
  });
  return [
    ...table('WS_SHAPES', CHANNELS.ws, 'Channels of /ws'),
    ...table('API_WS_SHAPES', CHANNELS['api-ws'], 'Channels of /api-ws'),
    '/** The values of parameters that are left out, by channel. */',
    'export const CHANNEL_DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {',
    ...defaults,
    '};',
  ];
}

/** Returns data for read-only clients: the names of methods and the properties of streams. */
function readerTables(): string[] {
  const channels = Object.entries<ChannelDefinition>(ALL_CHANNELS);
  const facts = channels.flatMap(([name, { isFact }]) => (isFact === true ? [name] : []));
  const states = channels.flatMap(([name, { state }]) =>
    state === undefined ? [] : [`  ${name}: ${JSON.stringify(state)},`],
  );
  return [
    "import type { StreamState } from '../define.ts';",
    '',
    '/** The queries of /info. */',
    `export const INFO_NAMES = ${JSON.stringify(Object.keys(INFO_QUERIES))} as const;`,
    '',
    '/** The channels by endpoint. */',
    'export const CHANNEL_NAMES = {',
    ...Object.entries(CHANNELS).map(
      ([endpoint, each]) => `  '${endpoint}': ${JSON.stringify(Object.keys(each))},`,
    ),
    '} as const;',
    '',
    '/** Channels that report facts: a client resumes them after a block, in any process of the venue. */',
    `export const FACT_CHANNELS: readonly string[] = ${JSON.stringify(facts)};`,
    '',
    '/** How the frames of a stream make up its state, by channel. */',
    'export const STREAM_STATES: Readonly<Record<string, StreamState>> = {',
    ...states,
    '};',
  ];
}

/** Returns the properties of actions that clients need even when the shapes are not loaded. */
function actionTables(): string[] {
  const typesOf = (isOne: (definition: ActionDefinition) => boolean): string =>
    JSON.stringify(Object.entries(ACTIONS).flatMap(([type, each]) => (isOne(each) ? [type] : [])));
  const structs = Object.entries<ActionDefinition>(ACTIONS)
    .filter(([, { signedBy }]) => signedBy === 'direct')
    .map(([type, { schema }]) => `  ${type}: ${JSON.stringify(structOf(type, schema))},`);
  return [
    '/** The EIP-712 structs of the direct actions, by action type. */',
    'export const DIRECT_STRUCTS = {',
    ...structs,
    '} as const;',
    '',
    '/** The types that only listed signers may send. Their bodies may be larger. */',
    `export const PERMISSIONED_TYPES = ${typesOf(({ signedBy }) => signedBy === 'permissioned')} as const;`,
    '',
    '/** The types that trade at the prices of the moment. Clients let them expire by default. */',
    `export const TRADING_TYPES: readonly string[] = ${typesOf(({ trades }) => trades === true)};`,
  ];
}

/** Returns the struct of a direct action: all fields except the type, in schema order. */
function structOf(type: string, schema: ActionDefinition['schema']) {
  const fields = fieldsOf(shapeOf(schema) as ObjectShape).filter(({ name }) => name !== 'type');
  const name = type.charAt(0).toUpperCase() + type.slice(1);
  return { name, fields: fields.map((each) => [each.name, wordOf(each.shape)]) };
}

/** Returns a field's type in the struct. Strings, decimals and enums are hashed as sent. */
function wordOf(shape: Shape): string {
  if (shape === 'address') return 'address';
  if (typeof shape === 'string' || !Array.isArray(shape) || shape[0] !== 'integer') return 'string';
  return shape[2] === undefined ? 'uint64' : 'uint32';
}

/** Returns one constant per definition, so that a bundle includes only those it uses. */
function separately(definitions: Definitions): string[] {
  const lines = Object.entries(definitions).flatMap(([type, each]) => [
    `export const ${type}Shape: ObjectShape = ${textOf(each)};`,
    '',
  ]);
  lines.push('/** Actions of /exchange, by their type. */');
  lines.push('export const ACTION_SHAPES: Readonly<Record<string, ObjectShape>> = {');
  for (const type of Object.keys(definitions)) lines.push(`  ${type}: ${type}Shape,`);
  return [...lines, '};'];
}

function table(name: string, definitions: Definitions, what: string): string[] {
  return [
    `/** ${what}, by their names. */`,
    `export const ${name}: Readonly<Record<string, Shape>> = {`,
    ...Object.entries(definitions).map(([type, each]) => `  ${type}: ${textOf(each)},`),
    '};',
    '',
  ];
}

function textOf(definition: Definitions[string]): string {
  return JSON.stringify(shapeOf('schema' in definition ? definition.schema : definition));
}

function queryMethods(): string[] {
  return [
    "import type { QueryMethod } from './query-info.ts';",
    '',
    '/** The queries of /info, as methods; some have a special one. */',
    'export type QueryMethods<Special> = {',
    ...methods((name) => `QueryMethod<'${name}', Special>`, INFO_QUERIES, QUERY_SOURCES),
    '};',
  ];
}

function channelMethods(): string[] {
  return [
    "import type { ChannelMethod } from './subscription.ts';",
    '',
    '/** The channels of /ws and /api-ws, as methods. */',
    'export type ChannelMethods = {',
    ...methods((name) => `ChannelMethod<'${name}'>`, ALL_CHANNELS, CHANNEL_SOURCES),
    '};',
  ];
}

/**
 * Returns methods with the comments from their definitions, because some editors do not show
 * comments on types that the compiler derives.
 */
function methods(
  typeOf: (name: string) => string,
  definitions: object,
  sources: readonly string[],
): string[] {
  const text = sources.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');
  return Object.keys(definitions).flatMap((name) => {
    const comment = new RegExp(`\\n  (/\\*\\*(?:(?!\\*/)[^])*\\*/)\\n  ${name}: `).exec(text)?.[1];
    if (comment === undefined) throw new Error(`The definition of ${name} has no comment`);
    return [comment, `readonly ${name}: ${typeOf(name)};`];
  });
}

function formatted(path: string, lines: readonly string[]): string {
  const input = `${['// Made by npm run write-shapes.', ...lines].join('\n').trimEnd()}\n`;
  const oxfmt = join(ROOT, 'node_modules', '.bin', 'oxfmt');
  return execFileSync(oxfmt, [`--stdin-filepath=${path}`], { cwd: ROOT, input, encoding: 'utf8' });
}
