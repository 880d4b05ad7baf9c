import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionDefinition } from '../packages/protocol/src/actions/define-action.ts';
import { ACTIONS } from '../packages/protocol/src/actions/registry.ts';
import { EXPORTS } from '../packages/protocol/src/info/export-requests.ts';
import { INFO_QUERIES } from '../packages/protocol/src/info/registry.ts';
import { SERVICE_REQUESTS } from '../packages/protocol/src/info/service-requests.ts';
import { fieldsOf, type ObjectShape, type Shape } from '../packages/protocol/src/shapes/shape.ts';
import { shapeOf } from '../packages/protocol/src/shapes/shape-of.ts';
import { CHANNELS } from '../packages/protocol/src/streams/channels.ts';

/**
 * Writes the clients' descriptions of requests from the venue's schemas: `npm run write-shapes`.
 */

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'packages', 'protocol', 'src', 'shapes');

type Schema = Parameters<typeof shapeOf>[0];
type Definitions = Readonly<Record<string, { readonly schema: Schema } | Schema>>;

write('action-shapes.ts', 'ObjectShape', separately(ACTIONS));
write('info-shapes.ts', 'Shape', table('INFO_SHAPES', INFO_QUERIES, 'Queries of /info'));
write('channel-shapes.ts', 'Shape', [
  ...table('WS_SHAPES', CHANNELS.ws, 'Channels of /ws'),
  ...table('API_WS_SHAPES', CHANNELS['api-ws'], 'Channels of /api-ws'),
]);
write('service-shapes.ts', 'Shape', [
  ...table('SERVICE_SHAPES', SERVICE_REQUESTS, 'Requests of the other endpoints'),
  ...table('EXPORT_SHAPES', EXPORTS, 'Parameters of the exports'),
]);

writeLines('action-tables.ts', actionTables());

/** Properties of actions that clients need without loading the shapes. */
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

/** The struct of a direct action: all fields except the type, in the order of the schema. */
function structOf(type: string, schema: ActionDefinition['schema']) {
  const fields = fieldsOf(shapeOf(schema) as ObjectShape).filter(({ name }) => name !== 'type');
  const name = type.charAt(0).toUpperCase() + type.slice(1);
  return { name, fields: fields.map((each) => [each.name, wordOf(each.shape)]) };
}

/** Texts, decimals and enums are hashed as they were sent. */
function wordOf(shape: Shape): string {
  if (shape === 'address') return 'address';
  if (typeof shape === 'string' || !Array.isArray(shape) || shape[0] !== 'integer') return 'string';
  return shape[2] === undefined ? 'uint64' : 'uint32';
}

/** One constant for each, so that a bundle contains only those that it uses. */
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

function write(name: string, type: string, lines: readonly string[]): void {
  writeLines(name, [`import type { ${type} } from './shape.ts';`, '', ...lines]);
}

function writeLines(name: string, lines: readonly string[]): void {
  const path = join(FOLDER, name);
  writeFileSync(path, `${['// Made by npm run write-shapes.', ...lines].join('\n').trimEnd()}\n`);
  execFileSync('npx', ['oxfmt', path], { cwd: ROOT });
}
