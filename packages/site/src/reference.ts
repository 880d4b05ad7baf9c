import { actionCalls, type Call, channelCalls, errorCalls, queryCalls } from './calls.ts';
import type { EntryAddresses } from './links.ts';
import { type Json, type Part, SAMPLE, samplesOf } from './samples-of.ts';
import { fieldTable, type JsonSchema } from './schema-table.ts';
import type { Sources } from './sources.ts';

/**
 * Builds a page for each action, query, channel and error. Fields come from the API descriptions,
 * which are generated from the API's definitions. Explanations and recorded samples come from the
 * reference pages.
 */

type Kind = 'action' | 'query' | 'channel' | 'error';

/** A page for one action, query, channel or error. */
export type Entry = {
  readonly kind: Kind;
  readonly name: string;
  readonly address: string;
  /** The page that contains the section of the entry. */
  readonly source: string;
  readonly summary: string;
  readonly text: string;
};

type Schemas = Readonly<Record<string, JsonSchema>>;
type Fields = { readonly [key: string]: Json };

const PAGES: readonly (readonly [RegExp, Kind, string])[] = [
  [/^docs\/reference\/exchange\.md$/, 'action', 'exchange'],
  [/^docs\/reference\/info-\w+\.md$/, 'query', 'info'],
  [/^docs\/reference\/streams\.md$/, 'channel', 'streams'],
  [/^docs\/reference\/errors\.md$/, 'error', 'errors'],
];
/** Matches the section of a single entry: its name, its code if it is an error, and its text. */
const SECTION = /^### (\w+)\n([^]*?)(?=^#{1,3} |(?![^]))/gm;
const ERROR_SECTION = /^## <a id="(\w+)"><\/a>\w+ · (\d+)\n([^]*?)(?=^## |(?![^]))/gm;

export function entriesOf({ asyncApi, openApi, pages }: Sources): Entry[] {
  const schemas = [openApi, asyncApi].map(
    (text) => (JSON.parse(text) as { components: { schemas: Schemas } }).components.schemas,
  ) as [Schemas, Schemas];
  return [...pages].flatMap(([source, text]) => {
    const [, kind, folder] = PAGES.find(([pattern]) => pattern.test(source)) ?? [];
    if (kind === undefined) return [];
    const sections = [...text.matchAll(kind === 'error' ? ERROR_SECTION : SECTION)];
    return sections.map((match): Entry => {
      const name = match[1]!;
      const place = { kind, name, address: `/docs/${folder}/${name}`, source };
      const section = match.at(-1)!;
      if (kind === 'error') return { ...place, ...errorEntry(name, match[2]!, section, text) };
      const samples = samplesIn(section, name);
      const prose = section.replace(SAMPLE, '').trim();
      const build = { action: actionEntry, channel: channelEntry, query: queryEntry }[kind];
      const made = build({ name, prose, samples, schemas: schemas[kind === 'channel' ? 1 : 0] });
      return { ...place, ...made };
    });
  });
}

function samplesIn(section: string, name: string): Sample[] {
  const texts = [...section.matchAll(/^```json\n([^]*?)\n```$/gm)].map(([, json = '']) => json);
  const parts = samplesOf(section).get(name) ?? [];
  // Samples come at the end of a section.
  return parts.map((part, index) => ({ ...part, json: texts.at(index - parts.length)! }));
}

/** Returns the pages' addresses, by the anchors of their sections. */
export function entryAddresses(entries: readonly Entry[]): EntryAddresses {
  return new Map(
    entries
      .filter(({ kind }) => kind !== 'error')
      .map(({ address, name, source }) => [`${source}#${name.toLowerCase()}`, address]),
  );
}

/**
 * Returns a reference page in which each entry's section is replaced by a link to the entry's page.
 * Error sections remain, because refusals link to them.
 */
export function overviewOf(text: string, path: string, entries: readonly Entry[]): string {
  const own = new Map(
    entries.flatMap((entry) => (entry.source === path ? [[entry.name, entry]] : [])),
  );
  if (own.size === 0) return text;
  const linked = text.replace(SECTION, (whole, name: string) => {
    const entry = own.get(name);
    return entry === undefined ? whole : `### [${name}](${entry.address})\n\n${entry.summary}\n\n`;
  });
  return linked.replace(ERROR_SECTION, (whole, name: string) => {
    const { address } = own.get(name)!;
    return `${whole.trimEnd()}\n\n[${name} in programs](${address})\n\n`;
  });
}

/** A sample, with its text formatted as on the page. */
type Sample = Part & { readonly json: string };

type Parts = {
  readonly name: string;
  readonly prose: string;
  readonly samples: readonly Sample[];
  readonly schemas: Schemas;
};
type Text = Pick<Entry, 'summary' | 'text'>;

const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const SIGNERS: Readonly<Record<string, string>> = {
  agent: 'the account key or an [agent](/docs/build/agents)',
  direct: 'the account key',
  permissioned: 'the key of an operator or deployer',
  multiSig: 'one of the signers of the account',
};

function actionEntry({ name, prose, samples, schemas }: Parts): Text {
  const schema = schemas[`${upper(name)}Action`]!;
  const [summary = '', signedBy = ''] = (schema.description ?? '').split(/ Signed as: |\. See /);
  const signer = SIGNERS[signedBy] ?? signedBy;
  const requests = samples.filter(({ label }) => label.startsWith('Request'));
  const shown = requests.map(({ label, value }) => {
    const variant = /\((\w+)\)/.exec(label)?.[1];
    const reply = samples.find((part) => part.label === label.replace('Request', 'Reply'));
    const heading = variant === undefined ? '' : `### ${variant}\n\n`;
    return `${heading}${tabs(actionCalls(value as Fields))}\n\n${answerOf(reply)}`;
  });
  const table = fieldTable(schema, schemas);
  const text = [
    `# ${name}`,
    summary,
    `[POST /exchange](/docs/exchange) · signed by ${signer}`,
    `## Request\n\n${shown.join('\n\n')}`,
    `## Fields\n\nThe keys are listed in the order in which they are signed. [Envelope](/docs/exchange#envelope) describes the fields next to \`action\`.\n\n${table}`,
    `## Details\n\n${withoutTable(prose, table)}`,
  ];
  return { summary, text: text.join('\n\n') };
}

function queryEntry({ name, prose, samples, schemas }: Parts): Text {
  const schema = schemas[`${upper(name)}Query`]!;
  const { description: summary = '' } = schema;
  const [request, answer] = samples;
  const table = fieldTable(schema, schemas);
  const text = [
    `# ${name}`,
    summary,
    `[POST /info](/docs/info) · [Try it](/docs/try#${name})`,
    `## Request\n\n${tabs(queryCalls(request!.value as Fields))}\n\n${answerOf(answer)}`,
    `## Parameters\n\n${table === '' ? 'The query has no parameters.' : table}`,
    `## Answer\n\n${prose}`,
  ];
  return { summary, text: text.join('\n\n') };
}

function channelEntry({ name, prose, samples, schemas }: Parts): Text {
  const schema = schemas[`${upper(name)}Subscription`]!;
  const { description: summary = '' } = schema;
  const isApi = Object.values(schemas['ApiWsSubscription']?.discriminator?.mapping ?? {}).some(
    (ref) => ref.endsWith(`/${upper(name)}Subscription`),
  );
  const path = isApi ? '/api-ws' : '/ws';
  const [request, ...frames] = samples;
  const { subscription } = request!.value as { readonly subscription: Fields };
  const table = fieldTable(schema, schemas);
  const text = [
    `# ${name}`,
    summary,
    `[Channel of ${path}](/docs/streams) · [Try it](/docs/try#${name})`,
    `## Subscribe\n\n${tabs(channelCalls(subscription))}\n\n${frames.map(answerOf).join('\n\n')}`,
    `## Parameters\n\n${table === '' ? 'The channel has no parameters.' : table}`,
    `## Frames\n\n${prose}`,
  ];
  return { summary, text: text.join('\n\n') };
}

function errorEntry(name: string, code: string, section: string, page: string): Text {
  const row = new RegExp(String.raw`^\| \[${name}\]\(#${name}\) \| \d+ \| (.+) \|$`, 'm').exec(
    page,
  );
  const meaning = row?.[1] ?? '';
  const summary = `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
  const text = [
    `# ${name}`,
    summary,
    `Code ${code} · [all errors](/docs/errors)`,
    section.trim(),
    ...(name === 'OK'
      ? []
      : [
          `## In programs\n\nTest the name, not the code or the message.\n\n${tabs(errorCalls(name))}`,
        ]),
  ];
  return { summary, text: text.join('\n\n') };
}

/** Removes the first table of fields if all of its rows are in the generated table. */
function withoutTable(prose: string, table: string): string {
  const found = /^\| Field \| Type \| Meaning \|\n\|[-|]+\n((?:\|.*\n?)*)/m.exec(prose);
  const names = [...(found?.[1] ?? '').matchAll(/^\| ((?:`[^`]+`(?:, )?)+)/gm)].flatMap(
    ([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  );
  const isCovered =
    names.length > 0 &&
    names.every((name) => table.includes(`\`${name}\``) || table.includes(`.${name}\``));
  return isCovered ? prose.replace(found![0], '').trim() : prose;
}

/** Returns code in several languages. The page shows one language at a time. */
function tabs(calls: readonly Call[]): string {
  const parts = calls.map(
    ({ code, label, language }) => `${label}:\n\n\`\`\`${language}\n${code}\n\`\`\``,
  );
  return `<!-- tabs -->\n\n${parts.join('\n\n')}\n\n<!-- /tabs -->`;
}

function answerOf(sample: Sample | undefined): string {
  if (sample === undefined) return '';
  return `${sample.label.replace(/ \(.*/, '')}:\n\n\`\`\`json\n${sample.json}\n\`\`\``;
}
