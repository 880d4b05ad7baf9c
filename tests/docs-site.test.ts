import { ACTIONS, API_WS_CHANNELS, ERROR_CODES, INFO_QUERIES, WS_CHANNELS } from '@oddlot/protocol';
import { describe, expect, test } from 'vitest';
import { diagramName, diagramsIn } from '../packages/site/src/diagrams.ts';
import { entriesOf } from '../packages/site/src/reference.ts';
import { buildSite } from '../packages/site/src/site.ts';
import { readSources, type Sources } from '../packages/site/src/sources.ts';
import type { Json } from './support/client.ts';
import { REPOSITORY } from './support/venue-process.ts';

/**
 * Goal: the documentation site and the API descriptions cover exactly the actions, queries,
 * channels and errors that are defined, and no link on the site is dead.
 */

const ASSETS = {
  styles: '/s.css',
  font: '/f.woff2',
  script: '/m.js',
  theme: '/t.js',
  tryIt: '/y.js',
};
const SOURCES = readSources(REPOSITORY);
const SITE = buildSite(SOURCES, { assets: ASSETS, version: '0' });

const KINDS = [
  { kind: 'action', folder: 'exchange', names: Object.keys(ACTIONS) },
  { kind: 'query', folder: 'info', names: Object.keys(INFO_QUERIES) },
  {
    kind: 'channel',
    folder: 'streams',
    names: [...Object.keys(WS_CHANNELS), ...Object.keys(API_WS_CHANNELS)],
  },
  { kind: 'error', folder: 'errors', names: Object.keys(ERROR_CODES) },
] as const;

/**
 * Returns the entries that are missing from the site or the descriptions, or unknown there, one
 * line each.
 */
function driftOf(sources: Sources): string[] {
  const entries = entriesOf(sources);
  return KINDS.flatMap(({ kind, names }) => {
    const pages = entries.filter((entry) => entry.kind === kind).map(({ name }) => name);
    // The error descriptions have no name for success.
    const described = names.filter((name) => name !== 'OK');
    return [
      ...differences(`${kind} on the site`, pages, names),
      ...differences(`${kind} in the description`, describedIn(sources, kind), described),
    ];
  });
}

function differences(
  place: string,
  found: readonly string[],
  expected: readonly string[],
): string[] {
  return [
    ...expected
      .filter((name) => !found.includes(name))
      .map((name) => `${place}: ${name} is missing`),
    ...found
      .filter((name) => !expected.includes(name))
      .map((name) => `${place}: ${name} is unknown`),
  ];
}

function describedIn({ asyncApi, openApi }: Sources, kind: string): string[] {
  const [{ components, paths }, streams]: [Json, Json] = [
    JSON.parse(openApi),
    JSON.parse(asyncApi),
  ];
  if (kind === 'action') return Object.keys(components.schemas.Action.discriminator.mapping);
  if (kind === 'query') {
    const union = Object.keys(components.schemas.InfoQuery.discriminator.mapping);
    expect(Object.keys(paths['/info'].post['x-responses'])).toEqual(union);
    return union;
  }
  if (kind === 'error') return components.schemas.InfoError.properties.name.enum;
  return ['WsSubscription', 'ApiWsSubscription'].flatMap((union) =>
    streams.components.schemas[union].oneOf.map(
      ({ $ref }: Json) => streams.components.schemas[$ref.split('/').at(-1)].properties.type.const,
    ),
  );
}

describe('the reference on the site is complete', () => {
  test('every action, query, channel and error has a page and is in the descriptions, and nothing else is', () => {
    expect(driftOf(SOURCES)).toEqual([]);
    const folders = KINDS.map(({ folder }) => folder).join('|');
    const built = [...SITE.files.keys()].filter((path) =>
      new RegExp(`^/docs/(?:${folders})/[^/]+\\.html$`).test(path),
    );
    const addresses = SITE.entries.map(({ address }) => `${address}.html`);
    expect(built.toSorted()).toEqual(addresses.toSorted());
    for (const { address, kind, name, text } of SITE.entries) {
      const languages = [...text.matchAll(/^(TypeScript|Python|curl|WebSocket):$/gm)];
      const isShown =
        kind === 'error'
          ? name === 'OK' || languages.length === 2
          : languages.length % 3 === 0 && languages.length > 0;
      expect([address, isShown]).toEqual([address, true]);
    }
  });

  const page = (path: string): string => SOURCES.pages.get(path)!;
  const withPage = (path: string, text: string): Sources => ({
    ...SOURCES,
    pages: new Map([...SOURCES.pages, [path, text]]),
  });
  const described = (from: string, to: string): Sources => {
    expect(SOURCES.openApi).toContain(from);
    return { ...SOURCES, openApi: SOURCES.openApi.replaceAll(from, to) };
  };

  test.each([
    [
      'a query without a section',
      withPage(
        'docs/reference/info-markets.md',
        page('docs/reference/info-markets.md').replace(/^### l2Book\n[^]*?(?=^### )/m, ''),
      ),
      'query on the site: l2Book is missing',
    ],
    [
      'an error that the venue does not return',
      withPage(
        'docs/reference/errors.md',
        page('docs/reference/errors.md') + '\n## <a id="LOST"></a>LOST · 10999\n\nText.\n',
      ),
      'error on the site: LOST is unknown',
    ],
    [
      'an action that only the description lacks',
      described('"multiSig": "#/components/schemas/MultiSigAction"', '"multisig": "#"'),
      'action in the description: multiSig is missing',
    ],
  ])('planted drift is reported: %s', (_, sources, fault) => {
    expect(driftOf(sources)).toContain(fault);
  });
});

describe("the site's pages are linked and available as Markdown", () => {
  /** Venue paths that are not part of the site. */
  const VENUE = new Set([
    '/',
    '/openapi.json',
    '/asyncapi.json',
    '/docs/favicon.svg',
    ...Object.values(ASSETS),
  ]);
  const anchorsOf = (html: string): ReadonlySet<string> =>
    new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id!));
  const anchors = new Map(
    SITE.pages.map(({ address }) => [
      address,
      anchorsOf(String(SITE.files.get(`${address}.html`))),
    ]),
  );

  test('every link leads to a page, a heading or a file', () => {
    const dead: string[] = [];
    for (const { address } of SITE.pages) {
      const html = String(SITE.files.get(`${address}.html`));
      for (const [, href = ''] of html.matchAll(/\b(?:href|src)="([^"]+)"/g)) {
        if (/^(?:https?|mailto):/.test(href) || VENUE.has(href)) continue;
        const [path = '', anchor] = href.split('#');
        const target = path === '' ? address : path;
        // The page for trying requests accepts a query's name as its anchor.
        const isAnchored =
          anchor === undefined || target === '/docs/try' || anchors.get(target)?.has(anchor);
        if (!isAnchored || (!anchors.has(target) && !SITE.files.has(target))) {
          dead.push(`${address}: ${href}`);
        }
      }
    }
    expect(dead).toEqual([]);
  });

  test('every page in the repository is in the navigation or linked from a page', () => {
    const linked = new Set(
      SITE.pages.flatMap(({ markdown }) =>
        [...markdown.matchAll(/\]\((\/docs[^)#\s]*)/g)].map(([, path]) => path),
      ),
    );
    const lost = SITE.pages.filter(({ address }) => !linked.has(address));
    expect(lost.map(({ address }) => address)).toEqual(['/docs/404']);
  });

  test('every diagram has a drawing, and every drawing a diagram', () => {
    const names = [...SOURCES.pages.values()].flatMap(diagramsIn).map(diagramName);
    expect(names.toSorted(), 'npm run write-diagrams').toEqual([...SOURCES.diagrams.keys()]);
    for (const svg of SOURCES.diagrams.values())
      expect(svg).not.toMatch(/@import|<script|<foreignObject/);
  });

  test('every page is available as Markdown, and appears once in llms-full.txt', () => {
    const whole = String(SITE.files.get('/llms-full.txt'));
    const listed = SITE.pages.filter(({ address }) => address !== '/docs/404');
    expect(whole.split('\n\n---\n\n')).toHaveLength(listed.length);
    for (const { address, title } of listed) {
      expect([address, String(SITE.files.get(`${address}.md`)).includes(title)]).toEqual([
        address,
        true,
      ]);
    }
  });
});
