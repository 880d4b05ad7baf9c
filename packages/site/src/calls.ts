import type { Json } from './samples-of.ts';

/** Writes the recorded requests as programs in TypeScript, in Python and for curl. */

/** One way to send a request: its label, language and code. */
export type Call = { readonly label: string; readonly language: string; readonly code: string };

type Fields = { readonly [key: string]: Json };

const URL = 'http://127.0.0.1:8690';
const WIDTH = 88;
/** Fields that clients themselves add to account actions. */
const ADDED = ['type', 'serviceNetwork', 'chainId', 'apiVersion', 'nonce'];

export function queryCalls(request: Fields): Call[] {
  const { type, ...fields } = request;
  // In the SDK, the fields of a nested request are direct parameters.
  const sdkFields = fields['req'] ?? fields;
  const parameters = Object.entries(fields).map(
    ([name, value]) => `${snake(name)}=${python(value, 4)}`,
  );
  return [
    typescript(
      `import { createReader } from '@oddlot/sdk';

const client = createReader({ url: '${URL}' });
const answer = await client.info.${String(type)}(${isEmpty(fields) ? '' : script(sdkFields, 0)});
console.log(answer);`,
    ),
    pythonCall(
      `from oddlot import Client

with Client("${URL}") as client:
    answer = ${called(`client.info.${snake(String(type))}`, parameters, 4)}
    print(answer)`,
    ),
    curl('/info', request),
  ];
}

export function actionCalls({ action, nonce, confirm }: Fields): Call[] {
  const { type, ...rest } = action as Fields;
  const fields = Object.fromEntries(Object.entries(rest).filter(([key]) => !ADDED.includes(key)));
  const signature = { r: '0x…', s: '0x…', v: 27 };
  const body = { action, signature, nonce, ...(confirm === undefined ? {} : { confirm }) };
  return [
    typescript(
      type === 'multiSig'
        ? multiSigScript(fields)
        : `import { createClient, privateKeyWallet } from '@oddlot/sdk';

const wallet = privateKeyWallet(process.env['ODDLOT_KEY'] as \`0x\${string}\`);
const client = createClient({ url: '${URL}', wallet });
const reply = await ${scriptOf(String(type), fields)};
console.log(reply);`,
    ),
    pythonCall(type === 'multiSig' ? multiSigPython(fields) : pythonProgram(String(type), fields)),
    {
      ...curl('/exchange', body as Fields),
      code: `# See /docs/signing for the signature.\n${curl('/exchange', body as Fields).code}`,
    },
  ];
}

const CONFIRM = `{ confirm: 'executed' }`;

function scriptOf(type: string, fields: Fields): string {
  const [variant = ''] = Object.keys(fields);
  const isOperator = type === 'venueAdmin' || type === 'outcomeDeploy';
  const name = `client.exchange.${type}${isOperator ? `.${variant}` : ''}`;
  const parameters = isOperator
    ? (fields[variant] as Fields)
    : type === 'convertToMultiSigUser'
      ? { signers: JSON.parse(String(fields['signers'])) as Json }
      : fields;
  if (type === 'claimBuilderRewards') return `${name}(${CONFIRM})`;
  const inline = `${name}(${script(parameters, 0, 2_000)}, ${CONFIRM})`;
  if (inline.length < WIDTH - 'const reply = await ;'.length) return inline;
  return `${name}(\n  ${script(parameters, 2)},\n  ${CONFIRM},\n)`;
}

function multiSigScript({ payload }: Fields): string {
  const { multiSigUser, action } = payload as Fields;
  return `import { createClient, privateKeyWallet } from '@oddlot/sdk';

const keys = [process.env['ODDLOT_KEY'], process.env['ODDLOT_KEY_2']] as \`0x\${string}\`[];
const signers = keys.map((key) => {
  const client = createClient({ url: '${URL}', wallet: privateKeyWallet(key) });
  return client.exchange.multiSig;
});
const [sender] = signers;
const proposal = await sender!.propose({
  multiSigUser: ${script(multiSigUser!, 0)},
  action: ${script(action!, 2)},
});
const signatures = await Promise.all(signers.map((signer) => signer.sign(proposal)));
const reply = await sender!.send(proposal, signatures, ${CONFIRM});
console.log(reply);`;
}

function multiSigPython({ payload }: Fields): string {
  const { multiSigUser, action } = payload as Fields;
  return `import os
import time
from oddlot import Client, PrivateKey, sign_inner_action

keys = [PrivateKey(os.environ[name]) for name in ("ODDLOT_KEY", "ODDLOT_KEY_2")]
account = ${python(multiSigUser!, 0)}
action = ${python(action!, 0)}
nonce = time.time_ns() // 1_000_000
parties = {"multi_sig_user": account, "outer_signer": keys[0].address}
signatures = [sign_inner_action(key, action, nonce, **parties) for key in keys]
with Client("${URL}", keys[0]) as client:
    reply = client.multi_sig(account, action, signatures, nonce)
    print(reply)`;
}

function pythonProgram(type: string, fields: Fields): string {
  const [name, parameters, imports = []] = PYTHON[type]!(fields);
  return `import os
from oddlot import ${['Client', ...imports, 'PrivateKey'].toSorted().join(', ')}

with Client("${URL}", PrivateKey(os.environ["ODDLOT_KEY"])) as client:
    reply = ${called(`client.${name}`, parameters, 4)}
    print(reply)`;
}

type PythonCall = readonly [
  name: string,
  parameters: readonly string[],
  imports?: readonly string[],
];

/** Returns the named arguments of the method named after an action. */
const named =
  (name: string, renamed: Readonly<Record<string, string>> = {}) =>
  (fields: Fields): PythonCall => [
    name,
    Object.entries(fields).map(
      ([key, value]) => `${renamed[key] ?? snake(key)}=${python(value, 8)}`,
    ),
  ];

/** The entries of an action, as tuples of two fields. */
const tuples =
  (name: string, list: string, first: string, second: string) =>
  (fields: Fields): PythonCall => [
    name,
    (fields[list] as readonly Fields[]).map(
      (each) => `(${python(each[first]!, 0)}, ${python(each[second]!, 0)})`,
    ),
  ];

const variant =
  (name: string) =>
  (fields: Fields): PythonCall => [
    name,
    Object.entries(fields).map(([key, value]) => `${key}=${python(value, 8)}`),
  ];

/** Methods of the Python client by action, as defined in `python/oddlot/client.py`. */
const PYTHON: Readonly<Record<string, (fields: Fields) => PythonCall>> = {
  order: ({ builder, orders }) => {
    const entries = (orders as readonly Fields[]).map(pythonOrder);
    const { b, f } = (builder ?? {}) as Fields;
    const paid = builder === undefined ? [] : [`builder=(${python(b!, 0)}, ${python(f!, 0)})`];
    return ['order', [...entries, ...paid], ['Order']];
  },
  cancel: tuples('cancel', 'cancels', 'a', 'o'),
  cancelByCloid: tuples('cancel_by_cloid', 'cancels', 'asset', 'cloid'),
  cancelAll: named('cancel_all'),
  scheduleCancel: named('schedule_cancel', { time: 'time_ms' }),
  modify2: named('modify', { a: 'asset', o: 'oid', c: 'cloid', p: 'price', s: 'size' }),
  reversePosition: named('reverse_position'),
  updateLeverage: named('update_leverage'),
  updateMarginMode: named('update_margin_mode'),
  updateIsolatedMargin: named('update_isolated_margin', { ntli: 'micro_usdc' }),
  updatePositionMode: named('update_position_mode', { positionMode: 'mode' }),
  outcomeOperate: (fields) => {
    const [kind = ''] = Object.keys(fields);
    return tuples(kind, kind, 'asset', 'sz')(fields);
  },
  approveAgent: named('approve_agent', { agentAddress: 'agent', agentName: 'name' }),
  approveBuilderFee: named('approve_builder_fee'),
  revokeBuilderFee: named('revoke_builder_fee'),
  claimBuilderRewards: named('claim_builder_rewards'),
  tokenSend: ({ token: _, ...fields }) => named('token_send')(fields),
  withdraw3: named('withdraw'),
  convertToMultiSigUser: ({ signers }) => {
    const { authorizedUsers, threshold } = JSON.parse(String(signers)) as Fields;
    return named('convert_to_multi_sig_user')({ signers: authorizedUsers!, threshold: threshold! });
  },
  venueAdmin: variant('venue_admin'),
  outcomeDeploy: variant('outcome_deploy'),
};

function pythonOrder({ a, b, p, s, r, t, c }: Fields): string {
  const { limit } = t as { readonly limit: Fields };
  const first = [a, b, p, s].map((value) => python(value!, 0));
  const more = [
    ...(r === true ? ['reduce_only=True'] : []),
    ...(limit['tif'] === 'Gtc' ? [] : [`tif=${python(limit['tif']!, 0)}`]),
    ...(c === undefined ? [] : [`cloid=${python(c, 0)}`]),
  ];
  return `Order(${[...first, ...more].join(', ')})`;
}

export function channelCalls(subscription: Fields): Call[] {
  const { type, ...fields } = subscription;
  const parameters = Object.entries(fields).map(([key, value]) => `${key}=${python(value, 0)}`);
  const subscribe = `streams.subscribe(${[python(type!, 0), ...parameters].join(', ')})`;
  return [
    typescript(
      `import { createReader } from '@oddlot/sdk';

const client = createReader({ url: '${URL}' });
for await (const event of client.streams.${String(type)}(${script(fields, 0)})) {
  if (event.type === 'data') console.log(event.data);
}`,
    ),
    pythonCall(
      `import asyncio
from oddlot import Streams

async def main():
    async with Streams("${URL}") as streams:
        async for event in ${subscribe}:
            print(event.data)

asyncio.run(main())`,
    ),
    {
      label: 'WebSocket',
      language: 'json',
      code: `${JSON.stringify({ method: 'subscribe', subscription }, undefined, 2)}`,
    },
  ];
}

export function errorCalls(name: string): Call[] {
  return [
    typescript(
      `import { ApiError, type Client } from '@oddlot/sdk';

async function send(client: Client): Promise<void> {
  try {
    await client.exchange.cancelAll({}, ${CONFIRM});
  } catch (error) {
    if (!(error instanceof ApiError) || error.name !== '${name}') throw error;
    console.log(error.message, error.details);
  }
}`,
    ),
    pythonCall(
      `from oddlot import ApiError, Client

def send(client: Client) -> None:
    try:
        client.cancel_all()
    except ApiError as error:
        if error.name != "${name}":
            raise
        print(error, error.details)`,
    ),
  ];
}

const typescript = (code: string): Call => ({ label: 'TypeScript', language: 'ts', code });
const pythonCall = (code: string): Call => ({ label: 'Python', language: 'python', code });

function curl(path: string, body: Fields): Call {
  const inline = JSON.stringify(body);
  const text = inline.length < WIDTH - 6 ? inline : JSON.stringify(body, undefined, 2);
  // A single quote would end the shell string, so it is escaped between two strings.
  const quoted = text.replaceAll("'", String.raw`'\''`);
  const code = `curl ${URL}${path} \\\n  -H 'content-type: application/json' \\\n  -d '${quoted}'`;
  return { label: 'curl', language: 'sh', code };
}

const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0;

/** Converts a name such as `feeTierInfo` to `fee_tier_info`. */
const snake = (name: string): string => name.replace(/(?<=[a-z0-9])([A-Z])/g, '_$1').toLowerCase();

/** Returns a call on one line if it fits; otherwise each parameter gets its own line. */
function called(name: string, parameters: readonly string[], indent: number): string {
  const inline = `${name}(${parameters.join(', ')})`;
  if (inline.length + indent <= WIDTH && !inline.includes('\n')) return inline;
  const space = ' '.repeat(indent + 4);
  return `${name}(\n${parameters.map((each) => `${space}${each},\n`).join('')}${' '.repeat(indent)})`;
}

type Style = {
  readonly text: (value: string) => string;
  readonly key: (name: string) => string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
  /** True if there is a space inside the braces. */
  readonly isWide: boolean;
};

const SCRIPT: Style = {
  text: (value) =>
    `'${JSON.stringify(value)
      .slice(1, -1)
      .replaceAll(String.raw`\"`, '"')
      .replaceAll("'", String.raw`\'`)}'`,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`),
  words: { true: 'true', false: 'false', null: 'null' },
  isWide: true,
};
const PYTHON_STYLE: Style = {
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  words: { true: 'True', false: 'False', null: 'None' },
  isWide: false,
};

const script = (value: Json, indent: number, width = WIDTH): string =>
  literal(value, SCRIPT, indent, width);
const python = (value: Json, indent: number): string =>
  literal(value, PYTHON_STYLE, indent, WIDTH - 16);

function literal(value: Json, style: Style, indent: number, width: number): string {
  const inline = onOneLine(value, style);
  if (inline.length + indent <= width || typeof value !== 'object' || value === null) return inline;
  const inner = ' '.repeat(indent + (style.isWide ? 2 : 4));
  const nested = inner.length;
  const lines = isList(value)
    ? value.map((each) => literal(each, style, nested, width))
    : Object.entries(value).map(
        ([key, each]) => `${style.key(key)}: ${literal(each, style, nested, width)}`,
      );
  const [open, close] = isList(value) ? '[]' : '{}';
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${' '.repeat(indent)}${close}`;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function onOneLine(value: Json, style: Style): string {
  if (typeof value === 'string') return style.text(value);
  if (typeof value !== 'object' || value === null) {
    return style.words[String(value) as 'true'] ?? String(value);
  }
  if (isList(value)) return `[${value.map((each) => onOneLine(each, style)).join(', ')}]`;
  const fields = Object.entries(value).map(
    ([key, each]) => `${style.key(key)}: ${onOneLine(each, style)}`,
  );
  if (fields.length === 0) return '{}';
  return style.isWide ? `{ ${fields.join(', ')} }` : `{${fields.join(', ')}}`;
}
