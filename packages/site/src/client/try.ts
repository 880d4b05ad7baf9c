import type { JsonSchema } from '../schema-table.ts';

/**
 * Sends queries to this venue and follows its channels. The list, fields and examples come from the
 * API descriptions that the venue serves.
 */

type Fields = Readonly<Record<string, unknown>>;
type Document = { readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } };
type OpenApi = Document & {
  readonly paths: {
    readonly '/info': {
      readonly post: {
        readonly requestBody: {
          readonly content: {
            readonly 'application/json': {
              readonly examples: Readonly<Record<string, { readonly value: Fields }>>;
            };
          };
        };
      };
    };
  };
};

/** A query or a channel. */
type Item = {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly example: Fields;
  /** The path of the socket; defined only for a channel. */
  readonly socket?: string;
};

const FRAMES_MAX = 20;
const root = document.getElementById('try')!;

void start();

async function start(): Promise<void> {
  root.textContent = 'Loading the descriptions of the API …';
  try {
    const [openApi, asyncApi] = await Promise.all([
      read<OpenApi>('/openapi.json'),
      read<Document>('/asyncapi.json'),
    ]);
    show([...queriesOf(openApi), ...channelsOf(asyncApi)]);
  } catch (error) {
    root.textContent = `The descriptions of the API could not be loaded: ${String(error)}`;
  }
}

async function read<Content>(path: string): Promise<Content> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
  return (await response.json()) as Content;
}

function queriesOf({ components, paths }: OpenApi): Item[] {
  const { examples } = paths['/info'].post.requestBody.content['application/json'];
  // Permits are left out, because they move money.
  const shown = Object.entries(examples).filter(([name]) => name !== 'depositWithPermit');
  return shown.map(([name, { value }]) => {
    const { type: _, ...example } = value;
    return { name, schema: components.schemas[`${upper(name)}Query`]!, example };
  });
}

function channelsOf({ components: { schemas } }: Document): Item[] {
  return (
    [
      ['/ws', 'WsSubscription'],
      ['/api-ws', 'ApiWsSubscription'],
    ] as const
  ).flatMap(([socket, union]) =>
    (schemas[union]?.oneOf ?? []).map((each) => {
      const schema = schemas[each.$ref!.split('/').at(-1)!]!;
      const name = String(schema.properties?.['type']?.const);
      const example = Object.fromEntries(
        (schema.required ?? []).flatMap((key) => {
          const [value] = schema.properties?.[key]?.examples ?? [];
          return value === undefined ? [] : [[key, value]];
        }),
      );
      return { name, schema, example, socket };
    }),
  );
}

const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function show(items: readonly Item[]): void {
  const select = document.createElement('select');
  const groups = [
    ['Queries', items.filter(({ socket }) => socket === undefined)],
    ['Channels of /ws', items.filter(({ socket }) => socket === '/ws')],
    ['Channels of /api-ws', items.filter(({ socket }) => socket === '/api-ws')],
  ] as const;
  for (const [label, members] of groups) {
    const group = document.createElement('optgroup');
    group.label = label;
    group.append(...members.map((each) => new Option(each.name, keyOf(each))));
    select.append(group);
  }
  const form = document.createElement('form');
  const fields = document.createElement('div');
  const description = document.createElement('p');
  const button = document.createElement('button');
  button.className = 'send';
  const output = document.createElement('pre');
  output.tabIndex = 0;
  output.setAttribute('role', 'region');
  output.setAttribute('aria-label', 'Answer');
  const status = document.createElement('p');
  status.setAttribute('role', 'status');
  form.append(labelled('Query or channel', select), description, fields, button);
  root.replaceChildren(form, status, output);

  const chosen = (): Item => items.find((each) => keyOf(each) === select.value) ?? items[0]!;
  const choose = (): void => {
    const item = chosen();
    description.textContent = item.schema.description ?? '';
    fields.replaceChildren(...inputsOf(item));
    button.textContent = item.socket === undefined ? 'Send' : 'Subscribe';
  };
  const named = decodeURIComponent(location.hash.slice(1));
  const linked =
    items.find((each) => keyOf(each) === named) ?? items.find(({ name }) => name === named);
  if (linked !== undefined) select.value = keyOf(linked);
  else select.value = 'perpMeta';
  choose();
  let stop: () => void = () => undefined;
  select.addEventListener('change', () => {
    stop();
    history.replaceState(null, '', `#${select.value}`);
    choose();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    stop();
    const item = chosen();
    const request = requestOf(item, new FormData(form));
    const shown = { output, status };
    if (item.socket === undefined) void query(request, shown);
    else stop = follow(item.socket, request, shown);
  });
}

/** A channel and a query may have the same name, so the key of a channel includes its path. */
const keyOf = ({ name, socket }: Item): string =>
  socket === undefined ? name : `${socket}:${name}`;

function inputsOf({ example, schema }: Item): HTMLElement[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties)
    .filter(([name]) => name !== 'type')
    .map(([name, { description = '' }]) => {
      const input = document.createElement('input');
      input.name = name;
      input.required = required.includes(name);
      input.spellcheck = false;
      input.autocomplete = 'off';
      const value = example[name];
      if (value !== undefined)
        input.value = typeof value === 'string' ? value : JSON.stringify(value);
      return labelled(name + (input.required ? '' : ' (optional)'), input, description);
    });
}

function labelled(name: string, input: HTMLElement, description = ''): HTMLElement {
  const label = document.createElement('label');
  const title = document.createElement('b');
  title.textContent = name;
  const text = document.createElement('small');
  text.textContent = description;
  label.append(title, input, text);
  return label;
}

/** Returns the request. Text fields are sent as entered; all others are parsed as JSON. */
function requestOf({ name, schema }: Item, data: FormData): Fields {
  const fields = [...data].flatMap(([key, value]): [string, unknown][] => {
    const text = String(value).trim();
    if (text === '') return [];
    const field = schema.properties?.[key];
    const kinds = [field, ...(field?.anyOf ?? [])].flatMap((each) => each?.type ?? []);
    if (kinds.includes('string') || field?.enum !== undefined) return [[key, text]];
    try {
      return [[key, JSON.parse(text) as unknown]];
    } catch {
      return [[key, text]];
    }
  });
  return { type: name, ...Object.fromEntries(fields) };
}

type Shown = { readonly output: HTMLElement; readonly status: HTMLElement };

async function query(request: Fields, { output, status }: Shown): Promise<void> {
  status.textContent = `POST /info ${JSON.stringify(request)}`;
  output.textContent = '…';
  const startedMs = performance.now();
  try {
    const response = await fetch('/info', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    const text = await response.text();
    const ms = Math.round(performance.now() - startedMs);
    status.textContent = `HTTP ${response.status} in ${ms} ms: ${JSON.stringify(request)}`;
    output.textContent = formatted(text);
  } catch (error) {
    status.textContent = `No answer: ${String(error)}`;
    output.textContent = '';
  }
}

/** Shows the newest frames of a channel. Returns a function that ends the subscription. */
function follow(path: string, subscription: Fields, { output, status }: Shown): () => void {
  const frames: string[] = [];
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${path}`);
  const request = JSON.stringify({ method: 'subscribe', subscription });
  status.textContent = `${path} ${request}`;
  output.textContent = 'Waiting for the first frame …';
  socket.addEventListener('open', () => socket.send(request));
  socket.addEventListener('message', ({ data }) => {
    frames.unshift(formatted(String(data)));
    frames.length = Math.min(frames.length, FRAMES_MAX);
    output.textContent = frames.join('\n\n');
  });
  socket.addEventListener('close', () => (status.textContent = `${path}: connection closed`));
  return () => socket.close();
}

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
