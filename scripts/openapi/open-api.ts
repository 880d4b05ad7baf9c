import type * as z from 'zod';
import { ACTIONS, isInnerActionType } from '../../packages/protocol/src/actions/registry.ts';
import { ERROR_CODES } from '../../packages/protocol/src/errors.ts';
import { EXPORTS } from '../../packages/protocol/src/info/export-requests.ts';
import { MIN_HEIGHT } from '../../packages/protocol/src/info/paging.ts';
import { INFO_QUERIES } from '../../packages/protocol/src/info/registry.ts';
import { SERVICE_REQUESTS } from '../../packages/protocol/src/info/service-requests.ts';
import { API_VERSION, API_VERSION_HEADER } from '../../packages/protocol/src/network.ts';
import { EnvelopeSchema } from '../../packages/protocol/src/parse.ts';
import type { Json, Part } from '../samples.ts';
import {
  commentOf,
  type Definition,
  INFO,
  NAMES,
  type Node,
  pagesOf,
  samplesIn,
  sorted,
  typeReader,
  unionOf,
  upper,
} from './definitions.ts';
import { addExamples } from './examples.ts';
import { type Components, type JsonSchema, refTo } from './json-schema.ts';
import { Annotator, sectionsOf } from './reference-notes.ts';
import { requestSchema } from './request-schemas.ts';
import { SHARED_FIELDS } from './shared-fields.ts';
import type { TypeSchemas } from './type-schemas.ts';

/** Returns the OpenAPI 3.1 description of the HTTP endpoints. */
export function openApi(): Node {
  const components: Components = new Map();
  const types = typeReader(components);
  const annotator = new Annotator(
    sectionsOf(pagesOf(/^(?:exchange|errors|info.*|relay)\.md$/)),
    components,
    SHARED_FIELDS,
  );
  try {
    const paths = {
      '/exchange': { post: exchangeOperation(components, types, annotator) },
      '/info': { post: infoOperation(components, types, annotator) },
      ...servicePaths(components, types, annotator),
      ...exportPaths(components, types),
      ...relayPaths(components, types, annotator),
      ...documentPaths(),
    };
    annotator.finish([...components.values()]);
    return {
      openapi: '3.1.0',
      info: {
        title: 'Oddlot',
        ...INFO,
        description:
          'HTTP API of an Oddlot venue. The WebSocket streams are described by /asyncapi.json, and signing by /docs/signing.',
      },
      servers: [
        { url: '/', description: 'The venue that serves this document' },
        { url: 'http://127.0.0.1:8690', description: 'A local venue' },
      ],
      // Actions carry their own signature. There is no other authentication.
      security: [],
      tags: [
        { name: 'Trading', description: 'Signed actions' },
        { name: 'Data', description: 'Queries about any address, without a signature' },
        { name: 'Services' },
        { name: 'Exports', description: 'All rows of a query as a file' },
        { name: 'Relay', description: 'Deposits from other chains and withdrawals to them' },
        { name: 'Documents' },
      ],
      paths,
      components: {
        schemas: sorted(components),
        parameters: { ApiVersion: apiVersionHeader() },
        headers: rateHeaders(),
      },
    };
  } finally {
    types.close();
  }
}

function exchangeOperation(components: Components, types: TypeSchemas, annotator: Annotator): Node {
  const samples = samplesIn(/^exchange\.md$/);
  const members = Object.entries<Definition & { readonly signedBy: string }>(ACTIONS).map(
    ([type, { schema, signedBy }]) => {
      const component = `${upper(type)}Action`;
      const described = requestSchema(schema, NAMES, components);
      components.set(component, {
        title: component,
        description: `${commentOf('actions/registry.ts', type)} Signed as: ${signedBy}. See /docs/exchange#${type.toLowerCase()}.`,
        ...described,
      });
      return { type, component };
    },
  );
  unionOf('Action', members, components);
  const inner = members.filter(({ type }) => isInnerActionType(type));
  unionOf('InnerAction', inner, components);
  innerActionOf(components.get('MultiSigAction')!.properties!['payload']!, 'InnerAction');
  components.set('ExchangeRequest', {
    title: 'ExchangeRequest',
    ...requestSchema(EnvelopeSchema, NAMES, components),
  });
  innerActionOf(components.get('ExchangeRequest')!, 'Action');
  const reply = types.declared('info/venue-answers.ts', 'ExchangeEnvelope');
  annotator.annotate(refTo('ExchangeRequest'), 'Envelope');
  annotator.annotate(reply, 'Replies');
  for (const { type, component } of members) {
    annotator.annotate(refTo(component), type);
    for (const { label, value } of samples.get(type) ?? []) {
      const isRequest = label.startsWith('Request');
      addExamples(isRequest ? refTo('ExchangeRequest') : reply, value, components);
      if (isRequest) addExamples(refTo(component), (value as { action: Json }).action, components);
    }
  }
  const schemas = namedReplies(components);
  return {
    operationId: 'exchange',
    tags: ['Trading'],
    summary: 'Execute a signed action',
    description:
      'Sends one signed action. See /docs/signing for the signature, /docs/exchange for the actions and /docs/errors for the errors by name.',
    parameters: [{ $ref: '#/components/parameters/ApiVersion' }],
    requestBody: body(refTo('ExchangeRequest'), requestExamples(samples)),
    responses: {
      200: answer('The result, or the error of an action that was not executed', {
        anyOf: [schemas.accepted, schemas.queued, schemas.error],
      }),
      202: answer(
        'The block was not durable within the time limit; query actionStatus',
        schemas.pending,
      ),
      ...failures(schemas.error),
    },
  };
}

/** Adds the alternatives of a reply, each under its own name. */
function namedReplies(components: Components) {
  const { anyOf = [] } = components.get('ExchangeEnvelope')!;
  const named = (name: string, alternatives: readonly JsonSchema[]): JsonSchema => {
    const [only, ...others] = alternatives;
    components.set(name, {
      title: name,
      ...(others.length === 0 ? only : { anyOf: [...alternatives] }),
    });
    return refTo(name);
  };
  const hasStatus = (status: string) =>
    anyOf.filter(({ properties = {} }) => properties['status']?.const === status);
  const done = hasStatus('ok');
  const refused = hasStatus('err').map(withErrorNames);
  const schemas = {
    accepted: named(
      'ActionReply',
      done.filter(({ properties = {} }) => properties['data'] !== undefined),
    ),
    queued: named(
      'QueuedReply',
      done.filter(({ properties = {} }) => properties['data'] === undefined),
    ),
    pending: named('PendingReply', hasStatus('pending')),
    error: named('ExchangeError', refused),
  };
  components.set('ExchangeEnvelope', {
    title: 'ExchangeEnvelope',
    anyOf: Object.values(schemas),
  });
  return schemas;
}

function requestExamples(samples: ReadonlyMap<string, readonly Part[]>): Node {
  return Object.fromEntries(
    [...samples].flatMap(([name, parts]) =>
      parts
        .filter(({ label }) => label === 'Request')
        .slice(0, 1)
        .map(({ value }) => [name, { value }]),
    ),
  );
}

/** Sets the schema of an inner action, which is parsed in a second step. */
function innerActionOf(schema: JsonSchema, union: 'Action' | 'InnerAction'): void {
  schema.properties!['action'] = refTo(union);
}

function infoOperation(components: Components, types: TypeSchemas, annotator: Annotator): Node {
  const samples = samplesIn(/^info-.*\.md$/);
  const answers = types.properties('info/registry.ts', 'InfoAnswers');
  const error = errorEnvelope(components, types);
  const members = Object.entries<Definition>(INFO_QUERIES).map(([type, { schema }]) => {
    const component = `${upper(type)}Query`;
    const described = structuredClone(requestSchema(schema, NAMES, components));
    const fields = described.properties!;
    const minHeight = requestSchema(MIN_HEIGHT.minHeight, NAMES, components);
    minHeight.description =
      'Block that the answer must include; the venue waits for it (see /docs/info#consistency).';
    fields['minHeight'] ??= minHeight;
    if (fields['action']?.type === 'object') fields['action'] = simulatedAction();
    const comment = ['market', 'account', 'history', 'venue']
      .map((subject) => commentOf(`info/${subject}-queries.ts`, type))
      .find((each) => each !== '');
    components.set(component, { title: component, description: comment ?? '', ...described });
    const response = `${upper(type)}Response`;
    components.set(response, {
      title: response,
      description: comment ?? '',
      ...successOf(answers.get(type)!, components),
    });
    annotator.annotate(refTo(component), type);
    annotator.annotate(answers.get(type)!, type);
    for (const { label, value } of samples.get(type) ?? []) {
      const target = label.startsWith('Request') ? component : response;
      addExamples(refTo(target), value, components);
    }
    return { type, component, response };
  });
  const query = unionOf('InfoQuery', members, components);
  components.set('InfoResponse', {
    title: 'InfoResponse',
    description: 'The response of one query: the schema of the query that was sent, or an error.',
    anyOf: [...members.map(({ response }) => refTo(response)), error],
  });
  return {
    operationId: 'info',
    tags: ['Data'],
    summary: 'Query data',
    description:
      'One query, selected by `type`. The response to the query `<type>` is the schema `<Type>Response`.',
    parameters: [{ $ref: '#/components/parameters/ApiVersion' }],
    requestBody: body(query, requestExamples(samples)),
    responses: {
      200: answer('The answer, or an error of the request', refTo('InfoResponse')),
      403: answer('Unknown query', error),
      ...failures(error),
    },
    'x-responses': Object.fromEntries(
      members.map(({ type, response }) => [type, `#/components/schemas/${response}`]),
    ),
  };
}

/**
 * Returns the schema of an action in a query. Its constant fields are optional, because the action
 * is not signed.
 */
const simulatedAction = (): JsonSchema => ({
  type: 'object',
  properties: { type: { enum: Object.keys(ACTIONS), description: 'Type of the action.' } },
  required: ['type'],
});

/** Returns the envelope of an /info response. */
function successOf(data: JsonSchema, components: Components): JsonSchema {
  const asOf = components.has('HistoryAsOf') ? refTo('HistoryAsOf') : {};
  return {
    type: 'object',
    properties: {
      success: { const: true },
      code: { const: 0 },
      data,
      asOf: {
        ...asOf,
        description: 'Newest block that an answer from the history covers completely.',
      },
      nextCursor: {
        type: ['string', 'null'],
        description: 'Start of the next page of a paged query; null after the last row.',
      },
      warnings: {
        type: 'array',
        items: refTo('Warning'),
        description: 'Notices next to a success.',
      },
    },
    required: ['success', 'code', 'data'],
  };
}

/**
 * Returns the error envelope of /info and the services, including the fields that it shares with
 * successful responses.
 */
function errorEnvelope(components: Components, types: TypeSchemas): JsonSchema {
  types.declared('info/venue-answers.ts', 'HistoryAsOf');
  types.declared('info/venue-answers.ts', 'Warning');
  const details = types.declared('errors.ts', 'Details');
  components.set(
    'InfoError',
    withErrorNames({
      title: 'InfoError',
      type: 'object',
      properties: {
        success: { const: false },
        code: { type: 'integer' },
        message: {
          type: 'string',
          description: 'Description of the error; the text of an error does not change.',
        },
        name: { type: 'string' },
        details,
      },
      required: ['success', 'code', 'message'],
    }),
  );
  return refTo('InfoError');
}

/** Adds the names and codes from the error table. */
function withErrorNames(schema: JsonSchema): JsonSchema {
  const errors = Object.entries(ERROR_CODES).filter(([name]) => name !== 'OK');
  const fields = schema.properties!;
  fields['code'] = {
    enum: errors.map(([, code]) => code),
    description: 'Code of the error name; a code is never reused.',
  };
  fields['name'] = {
    type: 'string',
    enum: errors.map(([name]) => name),
    description: 'Stable name of the error; /docs/errors states the cause and remedy of each.',
  };
  return schema;
}

function servicePaths(components: Components, types: TypeSchemas, annotator: Annotator): Node {
  const samples = samplesIn(/^info\.md$/);
  const error = refTo('InfoError');
  const notFound: JsonSchema = {
    type: 'object',
    properties: { message: { const: 'Not found' } },
    required: ['message'],
  };
  const service = (
    path: string,
    {
      request,
      file,
      data,
      summary,
    }: { request: keyof typeof SERVICE_REQUESTS; file: string; data: string; summary: string },
  ): Node => {
    const name = `${upper(request)}Request`;
    const anchor = path.slice(1);
    components.set(name, {
      title: name,
      ...requestSchema(SERVICE_REQUESTS[request], NAMES, components),
    });
    const answered = types.declared(file, data);
    const response = `${upper(request)}Response`;
    components.set(response, { title: response, ...successOf(answered, components) });
    annotator.annotate(refTo(name), anchor);
    annotator.annotate(answered, anchor);
    for (const { label, value } of samples.get(path) ?? []) {
      addExamples(refTo(label === 'Request' ? name : response), value, components);
    }
    return {
      post: {
        operationId: request,
        tags: ['Services'],
        summary,
        description: `See /docs/info#${anchor}.`,
        parameters: [{ $ref: '#/components/parameters/ApiVersion' }],
        requestBody: body(refTo(name)),
        responses: {
          200: answer('The answer, or an error of the request', {
            anyOf: [refTo(response), error],
          }),
          ...(request === 'requestFund'
            ? { 404: answer('The venue has no faucet', notFound) }
            : {}),
          ...failures(error),
        },
      },
    };
  };
  return {
    '/account-status': service('/account-status', {
      request: 'accountStatus',
      file: 'info/account-answers.ts',
      data: 'AccountStatus',
      summary: 'Check whether an address may trade',
    }),
    '/request-fund': service('/request-fund', {
      request: 'requestFund',
      file: 'info/venue-answers.ts',
      data: 'FaucetGrant',
      summary: 'Request test funds from the faucet',
    }),
  };
}

const EXPORT_ROWS: Readonly<Record<keyof typeof EXPORTS, string>> = {
  fills: 'userFills',
  orders: 'historicalOrders',
  fundings: 'userFundings',
  ledger: 'userNonFundingLedgerUpdates',
  candles: 'candleSnapshot',
};

function exportPaths(components: Components, types: TypeSchemas): Node {
  const error = errorEnvelope(components, types);
  const meanings: Readonly<Record<string, string>> = {
    user: 'Account whose rows are exported.',
    coin: 'Instrument id.',
    interval: 'Length of a candle.',
    from: 'Start of the time range, inclusive. Unit: ms.',
    to: 'End of the time range, inclusive. Unit: ms.',
    format: 'Format of the file.',
    accountType: 'Sub-accounts, separated by commas.',
  };
  return Object.fromEntries(
    Object.entries<z.core.$ZodType>(EXPORTS).map(([name, schema]) => {
      const { properties = {}, required = [] } = requestSchema(schema, NAMES, components);
      const rows = EXPORT_ROWS[name as keyof typeof EXPORTS];
      return [
        `/export/${name}`,
        {
          get: {
            operationId: `export${upper(name)}`,
            tags: ['Exports'],
            summary: `Export the rows of ${rows}`,
            description: 'All rows of the time range, oldest first. See /docs/info#export.',
            parameters: Object.entries(properties).map(([key, field]) => ({
              name: key,
              in: 'query',
              required: required.includes(key),
              description: meanings[key],
              schema: key === 'accountType' ? { type: 'string', default: 'perp' } : field,
            })),
            responses: {
              200: {
                description: 'The rows',
                content: {
                  'text/csv': { schema: { type: 'string' } },
                  'application/x-ndjson': { schema: { type: 'string' } },
                },
              },
              ...failures(error),
            },
          },
        },
      ];
    }),
  );
}

const RELAY_SERVERS = [
  {
    url: '{relay}/api/v1/bridge',
    description: 'The relay of the venue: `relay_url` in the query `settings`',
    variables: { relay: { default: 'http://127.0.0.1:8692' } },
  },
];

function relayPaths(components: Components, types: TypeSchemas, annotator: Annotator): Node {
  const error = refTo('InfoError');
  const reply = (data: JsonSchema): Node => ({
    200: answer('The answer', successOf(data, components)),
    404: answer('Unknown path', error),
    ...failures(error),
  });
  const relayType = (name: string, anchor: string): JsonSchema => {
    const schema = types.declared('info/relay-answers.ts', name);
    annotator.annotate(schema, anchor);
    return schema;
  };
  const operation = (operationId: string, anchor: string, summary: string): Node => ({
    operationId,
    tags: ['Relay'],
    summary,
    description: `See /docs/relay#${anchor}.`,
  });
  const creating = (
    name: 'depositAddress' | 'pegAddress',
    { data, anchor, summary }: { data: string; anchor: string; summary: string },
  ): Node => {
    const component = `${upper(name)}Request`;
    const described = requestSchema(SERVICE_REQUESTS[name], NAMES, components);
    components.set(component, { title: component, ...described });
    annotator.annotate(refTo(component), anchor);
    const responses = reply(relayType(data, anchor));
    const requestBody = body(refTo(component));
    return {
      servers: RELAY_SERVERS,
      post: { ...operation(name, anchor, summary), requestBody, responses },
    };
  };
  const listing = (
    operationId: string,
    { data, anchor, summary }: { data: JsonSchema; anchor: string; summary: string },
  ): Node => ({ ...operation(operationId, anchor, summary), responses: reply(data) });
  return {
    '/chains': {
      servers: RELAY_SERVERS,
      get: listing('relayChains', {
        data: { type: 'array', items: relayType('RelayChainRow', 'chains') },
        anchor: 'chains',
        summary: 'List the supported chains',
      }),
    },
    '/deposit-address': creating('depositAddress', {
      data: 'RelayDepositAddress',
      anchor: 'deposit-address',
      summary: 'Create a one-time deposit address',
    }),
    '/peg-address': creating('pegAddress', {
      data: 'RelayPegAddress',
      anchor: 'peg-address',
      summary: 'Create a relay withdrawal address',
    }),
    '/transfers': {
      servers: RELAY_SERVERS,
      get: {
        ...listing('relayTransfers', {
          data: relayType('RelayTransfers', 'transfers'),
          anchor: 'transfers',
          summary: 'List the transfers of an account, newest first',
        }),
        parameters: transferParameters(components),
      },
    },
  };
}

const TRANSFER_PARAMETERS: Readonly<Record<string, string>> = {
  user: 'Recipient of deposits, sender of withdrawals, or a relay withdrawal address.',
  page: 'Number of the page, starting with 0.',
  pageSize: 'Transfers per page, at most 200.',
};

function transferParameters(components: Components): Node[] {
  const { transfers } = SERVICE_REQUESTS;
  const { properties = {}, required = [] } = requestSchema(transfers, NAMES, components);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: TRANSFER_PARAMETERS[name],
    schema,
  }));
}

/** Returns the endpoints that serve the descriptions. */
function documentPaths(): Node {
  const document = (operationId: string, summary: string, type: string): Node => ({
    get: {
      operationId,
      tags: ['Documents'],
      summary,
      responses: {
        200: {
          description: 'The document',
          headers: { ETag: { schema: { type: 'string' } } },
          content: {
            [type]: { schema: { type: type === 'application/json' ? 'object' : 'string' } },
          },
        },
        304: { description: 'The client has the current document' },
      },
    },
  });
  return {
    '/openapi.json': document('openApi', 'This document', 'application/json'),
    '/asyncapi.json': document(
      'asyncApi',
      'Description of the WebSocket streams',
      'application/json',
    ),
    '/llms.txt': document('llmsTxt', 'Index of the reference for language models', 'text/plain'),
  };
}

function body(schema: JsonSchema, examples?: Node): Node {
  return {
    required: true,
    content: { 'application/json': { schema, ...(examples === undefined ? {} : { examples }) } },
  };
}

const answer = (description: string, schema: JsonSchema): Node => ({
  description,
  headers: Object.fromEntries(
    Object.keys(rateHeaders())
      .filter((name) => name !== 'Retry-After')
      .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  content: { 'application/json': { schema } },
});

/** Returns the responses that any endpoint can send to a request it does not process. */
function failures(schema: JsonSchema): Node {
  const refused = (description: string, headers: Node = {}): Node => ({
    description,
    headers,
    content: { 'application/json': { schema } },
  });
  const retryAfter = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };
  return {
    400: refused('The request is malformed; `details.field` names the field'),
    413: refused('The body is too large'),
    415: refused('The content type is not application/json'),
    429: refused('A budget of the client is used up', retryAfter),
    500: refused('Internal error'),
    503: refused('Unavailable; send the same bytes again', retryAfter),
  };
}

const apiVersionHeader = (): Node => ({
  name: API_VERSION_HEADER,
  in: 'header',
  required: false,
  description: 'Version of the API; other versions are rejected with VERSION.',
  schema: { type: 'string', enum: [API_VERSION], default: API_VERSION },
});

function rateHeaders(): Node {
  const header = (description: string): Node => ({
    description,
    schema: { type: 'integer' },
  });
  return {
    'Retry-After': header('Seconds until the request can be repeated.'),
    'X-RateLimit-Limit': header('Requests or milliseconds of work that the budget allows.'),
    'X-RateLimit-Remaining': header('Rest of the budget.'),
    'X-RateLimit-Reset': header('Seconds until the budget is full again.'),
  };
}
