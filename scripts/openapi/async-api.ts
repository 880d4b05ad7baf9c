import { API_WS_CHANNELS, WS_CHANNELS } from '../../packages/protocol/src/streams/channels.ts';
import type { Json } from '../samples.ts';
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

/** Returns the AsyncAPI 3 description of the WebSocket endpoints. */
export function asyncApi(): Node {
  const components: Components = new Map();
  const types = typeReader(components);
  const annotator = new Annotator(
    sectionsOf(pagesOf(/^(?:streams|errors|info.*|exchange)\.md$/)),
    components,
    SHARED_FIELDS,
  );
  const samples = samplesIn(/^streams\.md$/);
  try {
    const frames = 'streams/frames.ts';
    const control = ['SubscriptionResponse', 'ResyncFrame'].map((name) =>
      types.declared(frames, name),
    );
    const rtds = ['RtdsClientFrame', 'RtdsUpdateFrame', 'RtdsDumpFrame', 'RtdsErrorFrame'];
    for (const name of rtds) types.declared(frames, name);
    const sockets = [
      { id: 'ws', path: '/ws', table: 'WS_CHANNELS', definitions: WS_CHANNELS },
      { id: 'apiWs', path: '/api-ws', table: 'API_WS_CHANNELS', definitions: API_WS_CHANNELS },
    ].map(({ id, path, table, definitions }) => {
      const data = types.tableTypes('streams/channels.ts', table, 'data');
      const names = Object.keys(definitions);
      for (const [name, { schema }] of Object.entries<Definition>(definitions)) {
        const subscription = requestSchema(schema, NAMES, components);
        const properties = { type: { const: name }, ...subscription.properties };
        const required = ['type', ...(subscription.required ?? [])];
        const comment = commentOf('streams/channels.ts', name);
        components.set(`${upper(name)}Subscription`, {
          title: `${upper(name)}Subscription`,
          description: comment,
          type: 'object',
          properties,
          required,
        });
        components.set(`${upper(name)}Frame`, {
          title: `${upper(name)}Frame`,
          description: comment,
          ...dataFrame(name, data.get(name)!),
        });
        annotator.annotate(refTo(`${upper(name)}Subscription`), name);
        annotator.annotate(data.get(name)!, name);
        for (const { label, value } of samples.get(name) ?? []) {
          const sent = (value as { readonly subscription?: Json }).subscription;
          if (label === 'Frame') addExamples(refTo(`${upper(name)}Frame`), value, components);
          else if (sent !== undefined) {
            addExamples(refTo(`${upper(name)}Subscription`), sent, components);
          }
        }
      }
      const union = `${upper(id)}Subscription`;
      unionOf(
        union,
        names.map((type) => ({ type, component: `${upper(type)}Subscription` })),
        components,
      );
      return { id, path, names, union };
    });
    streamFrames(components, types);
    annotator.annotate(control[0]!, 'Sequence numbers and resume');
    annotator.finish([...components.values()]);
    return asyncDocument(sockets, components);
  } finally {
    types.close();
  }
}

type Socket = {
  readonly id: string;
  readonly path: string;
  readonly names: readonly string[];
  readonly union: string;
};

/** Returns the schema of a frame that carries a channel's data. */
function dataFrame(name: string, data: JsonSchema): JsonSchema {
  const count = (description: string): JsonSchema => ({
    type: 'integer',
    format: 'int64',
    description,
  });
  return {
    type: 'object',
    properties: {
      channel: { const: name },
      data,
      sub: count('Number of the subscription on the connection.'),
      seq: count('Number of the frame in its stream, the same on all connections.'),
      height: count('Block that the data reflect, on channels that report one.'),
      isSnapshot: { const: true, description: 'The frame replaces the state after a resync.' },
    },
    required: ['channel', 'data', 'sub', 'seq'],
  };
}

/** Adds the frames common to all channels of a socket. */
function streamFrames(components: Components, types: TypeSchemas): void {
  const resume = types.declared('streams/frames.ts', 'ResumePoint');
  for (const [name, union] of [
    ['WsSubscribe', 'WsSubscription'],
    ['ApiWsSubscribe', 'ApiWsSubscription'],
  ] as const) {
    components.set(name, {
      title: name,
      type: 'object',
      properties: {
        method: { enum: ['subscribe', 'unsubscribe'] },
        subscription: refTo(union),
        resumeFrom: {
          ...resume,
          description: 'Position after which frames continue; only for subscribe.',
        },
      },
      required: ['method', 'subscription'],
    });
  }
  components.set('Ping', {
    title: 'Ping',
    type: 'object',
    properties: { method: { const: 'ping' } },
    required: ['method'],
  });
  components.set('Pong', {
    title: 'Pong',
    type: 'object',
    properties: { method: { const: 'PONG' } },
    required: ['method'],
  });
  postFrames(components);
  const code = types.declared('streams/frames.ts', 'StreamErrorCode');
  const fields: Record<string, JsonSchema> = {
    code: { ...code, description: 'Cause of the error; /docs/streams#errors lists the codes.' },
    message: { type: 'string', description: 'Description of the error.' },
    details: { type: 'object', description: 'Field, value and accepted values, as over HTTP.' },
    subscription: { description: 'The rejected subscription, as sent.' },
    retryAfterMs: {
      type: 'integer',
      description: 'Time until the frame can be repeated. Unit: ms.',
    },
  };
  const required = ['code', 'message'];
  components.set('WsError', {
    title: 'WsError',
    type: 'object',
    properties: { type: { const: 'error' }, ...fields },
    required: ['type', ...required],
  });
  components.set('ApiWsError', {
    title: 'ApiWsError',
    type: 'object',
    properties: {
      channel: { const: 'error' },
      data: { type: 'object', properties: fields, required },
    },
    required: ['channel', 'data'],
  });
}

/** Adds the frames in which /ws carries /exchange and /info requests, and their responses. */
function postFrames(components: Components): void {
  const id: JsonSchema = {
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description: 'Number that the client chooses, different from those of its unanswered posts.',
  };
  const object = (properties: Record<string, JsonSchema>, required: string[]): JsonSchema => ({
    type: 'object',
    properties,
    required,
  });
  components.set('Post', {
    title: 'Post',
    description: 'A request of /exchange or /info, sent over the socket.',
    ...object(
      {
        method: { const: 'post' },
        id,
        request: {
          description: 'The endpoint and the body that it would receive over HTTP.',
          ...object(
            {
              type: { enum: ['info', 'action'], description: '/info or /exchange.' },
              payload: { type: 'object', description: 'Body of the request; see /openapi.json.' },
            },
            ['type', 'payload'],
          ),
        },
      },
      ['method', 'id', 'request'],
    ),
  });
  const count = (description: string): JsonSchema => ({ type: 'integer', description });
  const response = object(
    {
      type: { enum: ['info', 'action', 'error'], description: 'Type of the request, or an error.' },
      status: count('HTTP status of the response.'),
      payload: { type: 'object', description: 'Body of the response; see /openapi.json.' },
    },
    ['type', 'status', 'payload'],
  );
  const data = object(
    {
      id,
      response: { description: 'The response that HTTP would have returned.', ...response },
      retryAfter: count('Time until the request can be repeated. Unit: s.'),
      rateLimit: {
        description: 'Budget of the client, as in the headers over HTTP.',
        ...object(
          {
            limit: count('Requests or milliseconds of work that the budget allows.'),
            remaining: count('Rest of the budget.'),
            reset: count('Time until the budget is full again. Unit: s.'),
          },
          ['limit', 'remaining', 'reset'],
        ),
      },
    },
    ['id', 'response'],
  );
  components.set('PostFrame', {
    title: 'PostFrame',
    description: 'The response to a post.',
    ...object(
      { channel: { const: 'post' }, data: { description: 'Response to the post.', ...data } },
      ['channel', 'data'],
    ),
  });
}

function asyncDocument(sockets: readonly Socket[], components: Components): Node {
  const messages: Node = {};
  const channels: Node = {};
  const operations: Node = {};
  const add = (
    channel: string,
    path: string,
    { received, sent }: { received: readonly string[]; sent: readonly string[] },
  ): void => {
    for (const name of [...received, ...sent]) {
      messages[name] = {
        name,
        title: components.get(name)!.title,
        contentType: 'application/json',
        payload: refTo(name),
      };
    }
    channels[channel] = {
      address: path,
      messages: Object.fromEntries(
        [...received, ...sent].map((name) => [name, { $ref: `#/components/messages/${name}` }]),
      ),
    };
    const operation = (action: 'send' | 'receive', names: readonly string[]): Node => ({
      action,
      channel: { $ref: `#/channels/${channel}` },
      messages: names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
    });
    operations[`${channel}Receive`] = {
      ...operation('receive', received),
      summary: 'Frames of the client',
    };
    operations[`${channel}Send`] = { ...operation('send', sent), summary: 'Frames of the venue' };
  };
  for (const { id, path, names } of sockets) {
    add(id, path, {
      received: [`${upper(id)}Subscribe`, 'Ping', ...(id === 'ws' ? ['Post'] : [])],
      sent: [
        ...(id === 'ws' ? ['PostFrame'] : []),
        'SubscriptionResponse',
        'Pong',
        'ResyncFrame',
        `${upper(id)}Error`,
        ...names.map((name) => `${upper(name)}Frame`),
      ],
    });
  }
  add('wsRtds', '/ws-rtds', {
    received: ['RtdsClientFrame'],
    sent: ['RtdsUpdateFrame', 'RtdsDumpFrame', 'RtdsErrorFrame'],
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Oddlot',
      ...INFO,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      description:
        'WebSocket streams of an Oddlot venue. The HTTP endpoints are described by /openapi.json.',
    },
    servers: {
      local: { host: '127.0.0.1:8690', protocol: 'ws', description: 'A local venue' },
    },
    defaultContentType: 'application/json',
    channels,
    operations,
    components: { messages, schemas: sorted(withPlainDiscriminators(components)) },
  };
}

/**
 * Returns the schemas with plain discriminators: in AsyncAPI, a discriminator is only the field
 * name, without a mapping.
 */
function withPlainDiscriminators(components: Components): Map<string, object> {
  return new Map(
    [...components].map(([name, { discriminator, ...schema }]) => [
      name,
      discriminator === undefined
        ? schema
        : { ...schema, discriminator: discriminator.propertyName },
    ]),
  );
}
