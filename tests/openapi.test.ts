import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import asyncSpecs from '@asyncapi/specs';
import { ACTIONS, CHANNELS, ERROR_CODES, EXPORTS, INFO_QUERIES } from '@oddlot/protocol';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { ASYNCAPI, OPENAPI } from './support/api-description.ts';
import type { Json } from './support/client.ts';

/**
 * Goal: according to published validators, /openapi.json and /asyncapi.json conform to their
 * specifications, and they describe exactly the venue's actions, queries, exports, channels and
 * errors. scripts/generated.test.ts checks that they are up to date, and every conformance test
 * checks that the venue behaves as they describe.
 */

const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
/** Returns the values of `type` in a union's alternatives. */
const discriminated = (document: Json, union: string): string[] =>
  document.components.schemas[union].oneOf
    .map(({ $ref }: Json) => document.components.schemas[$ref.split('/').at(-1)])
    .map((schema: Json) => schema.properties.type.const)
    .toSorted();

describe('/openapi.json describes the HTTP API', () => {
  test('/openapi.json conforms to OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(OPENAPI));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('/openapi.json describes every action and no others', () => {
    expect(discriminated(OPENAPI, 'Action')).toEqual(Object.keys(ACTIONS).toSorted());
  });

  test('/openapi.json describes every query with its response and no others', () => {
    const queries = Object.keys(INFO_QUERIES).toSorted();
    expect(discriminated(OPENAPI, 'InfoQuery')).toEqual(queries);
    const responses = OPENAPI.paths['/info'].post['x-responses'];
    expect(Object.keys(responses).toSorted()).toEqual(queries);
    for (const query of queries) {
      expect(responses[query]).toBe(`#/components/schemas/${upper(query)}Response`);
      expect(OPENAPI.components.schemas[`${upper(query)}Response`]).toBeDefined();
    }
  });

  test('/openapi.json describes every export and no others', () => {
    const exports = Object.keys(OPENAPI.paths).filter((path) => path.startsWith('/export/'));
    expect(exports).toEqual(Object.keys(EXPORTS).map((name) => `/export/${name}`));
  });

  test('/openapi.json names every error with its code', () => {
    const { code, name } = OPENAPI.components.schemas.InfoError.properties;
    const errors = Object.entries(ERROR_CODES).filter(([each]) => each !== 'OK');
    expect(name.enum).toEqual(errors.map(([each]) => each));
    expect(code.enum).toEqual(errors.map(([, each]) => each));
  });
});

describe('/asyncapi.json describes the streams', () => {
  test('/asyncapi.json conforms to AsyncAPI 3.0', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const schema = (asyncSpecs as Json).schemasWithoutId['3.0.0'];
    const validate = ajv.compile(schema);
    validate(ASYNCAPI);
    expect(validate.errors ?? []).toEqual([]);
  });

  test.each([
    ['ws', 'WsSubscription'],
    ['api-ws', 'ApiWsSubscription'],
  ] as const)('/asyncapi.json describes every channel of /%s and no others', (endpoint, union) => {
    const channels = Object.keys(CHANNELS[endpoint]).toSorted();
    expect(discriminated(ASYNCAPI, union)).toEqual(channels);
    const [channel] = Object.values<Json>(ASYNCAPI.channels).filter(
      ({ address }) => address === `/${endpoint}`,
    );
    for (const name of channels) expect(channel.messages).toHaveProperty(`${upper(name)}Frame`);
  });

  test('every reference in /asyncapi.json has a target', () => {
    const text = readFileSync(join(import.meta.dirname, '../docs/reference/asyncapi.json'), 'utf8');
    for (const [, path = ''] of text.matchAll(/"#\/([^"]+)"/g)) {
      const target = path.split('/').reduce<Json>((held, key) => held?.[key], ASYNCAPI);
      expect(target, path).toBeDefined();
    }
  });
});

describe.each([
  ['/openapi.json', OPENAPI],
  ['/asyncapi.json', ASYNCAPI],
])('the fields in %s', (_, document) => {
  const fields = fieldsOf(document.components.schemas);

  test('the descriptions explain every field', () => {
    expect(fields.size).toBeGreaterThan(500);
    const unexplained = [...fields].filter(
      ([, { const: value, description = '' }]) => value === undefined && description.length < 2,
    );
    expect(unexplained.map(([path]) => path)).toEqual([]);
  });

  test('no explanation refers to another part of the page it came from', () => {
    const referring = [...fields].filter(([, { description = '' }]) =>
      /see (?:above|below|the next table|the table below)/i.test(description),
    );
    expect(referring.map(([path]) => path)).toEqual([]);
  });

  test('no field of an answer is explained as an optional field of a request', () => {
    const borrowed = [...fields].filter(
      ([path, { description = '' }]) =>
        !/^[^.]*(?:Query|Request|Action|Subscription|Order|Cancel)\./.test(path) &&
        /^Optional: (?!EIP)/.test(description),
    );
    expect(borrowed.map(([path]) => path)).toEqual([]);
  });

  test('every field in the descriptions has a type', () => {
    const untyped = [...fields].filter(([path, field]) => {
      const keys = ['type', '$ref', 'const', 'enum', 'anyOf', 'oneOf', 'not'];
      return !keys.some((key) => field[key] !== undefined) && !ANYTHING.test(path);
    });
    expect(untyped.map(([path]) => path)).toEqual([]);
  });
});

test.each([
  [OPENAPI, 'OrderAction.builder.b', 'Address of the builder.'],
  [OPENAPI, 'L2BookQuery.coin', 'Instrument id.'],
  [OPENAPI, 'ErrorDetails.required', 'The required funds, margin or shares.'],
  [OPENAPI, 'UserFundingsQuery.direction', 'Alias of `fundingType`.'],
  [OPENAPI, 'AssetPosition.type', 'Position mode, `OneWay` or `Hedge`.'],
  [ASYNCAPI, 'PostFrame.data.response.status', 'HTTP status of the response.'],
  [ASYNCAPI, 'OrderUpdate.reason', 'Why the order was cancelled or rejected.'],
])('a field is not explained like another one with its name: %#', (document, path, meaning) => {
  expect(fieldsOf(document.components.schemas).get(path)?.description).toBe(meaning);
});

test('all query responses explain `asOf` as the newest block covered', () => {
  const fields = [...fieldsOf(OPENAPI.components.schemas)];
  const meanings = fields.filter(([path]) => /^\w+Response\.asOf$/.test(path));
  expect(new Set(meanings.map(([, { description }]) => description))).toEqual(
    new Set(['Newest block that an answer from the history covers completely.']),
  );
});

/** Values that the venue returns as they were sent, or ignores. */
const ANYTHING =
  /^(?:WsError|ApiWsError)\..*subscription$|^OutcomeFrontendOpenOrdersQuery\.exchange_?[iI]d$/;

/** Returns the fields of all schemas, by path. */
function fieldsOf(schemas: Json): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  const walk = (schema: Json, path: string): void => {
    for (const key of ['anyOf', 'oneOf', 'prefixItems']) {
      for (const [index, each] of (schema[key] ?? []).entries()) walk(each, `${path}|${index}`);
    }
    if (schema.items) walk(schema.items, `${path}[]`);
    for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
      found.set(`${path}.${name}`, field);
      walk(field, `${path}.${name}`);
    }
  };
  for (const [name, schema] of Object.entries<Json>(schemas)) walk(schema, name);
  return found;
}
