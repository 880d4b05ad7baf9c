import MiniSearch from 'minisearch';
import { drawingOf } from './diagrams.ts';
import { addressOfFile, withMarkdownLinks, withSiteLinks } from './links.ts';
import { type Assets, pageHtml, parentOf, type SitePage } from './layout.ts';
import { plainText, render } from './markdown.ts';
import { navigationOf } from './navigation.ts';
import { entriesOf, type Entry, entryAddresses, overviewOf } from './reference.ts';
import { SEARCH_OPTIONS } from './search-options.ts';
import { addressOf, type Sources } from './sources.ts';

export type Site = {
  /** File contents by path on the venue, such as `/docs/errors.html`. */
  readonly files: ReadonlyMap<string, string | Buffer>;
  readonly pages: readonly SitePage[];
  readonly entries: readonly Entry[];
};

type Options = { readonly assets: Assets; readonly version: string };

const FIRST = 'docs/README.md';
const TRY = `# Try it

Send a query to this venue, or follow one of its channels. Nothing is signed, and no request changes anything.

<div id="try"><noscript>This page requires JavaScript.</noscript></div>
`;
const NOT_FOUND = `# Page not found

There is no page at this address. Use the search, or start from the [first page](/docs).
`;

/** Builds all of the site's files except scripts and styles. */
export function buildSite(sources: Sources, options: Options): Site {
  const entries = entriesOf(sources);
  const pages = pagesOf(sources, entries);
  const navigation = navigationOf(pages[0]!.markdown);
  const frame = { ...options, entries, navigation };
  const addresses = new Set(pages.map(({ address }) => address));
  const files = new Map<string, string | Buffer>();
  for (const page of pages) {
    files.set(`${page.address}.html`, pageHtml(page, frame));
    files.set(`${page.address}.md`, withMarkdownLinks(page.markdown, addresses));
  }
  for (const [path, content] of sources.linked) files.set(addressOfFile(path), content);
  files.set('/docs/search.json', searchIndex(pages));
  const listed = pages.filter(({ address }) => address !== '/docs/404');
  files.set('/llms.txt', llmsText(frame, listed));
  files.set('/llms-full.txt', listed.map(({ markdown }) => markdown.trim()).join('\n\n---\n\n'));
  return { files, pages, entries };
}

/** Returns all pages, starting with the first page. */
function pagesOf(sources: Sources, entries: readonly Entry[]): SitePage[] {
  const links = { entries: entryAddresses(entries), linked: sources.linked };
  const page = (address: string, text: string, parent?: string): SitePage => {
    const markdown = text.replace(/<!-- \/?sample(?:: \S+)? -->\n*/g, '');
    const title = plainText(/^# (.+)$/m.exec(markdown)?.[1] ?? address);
    const rendered = render(markdown, (source) => drawingOf(source, sources));
    return { address, title, parent, markdown, rendered };
  };
  const texts = [...sources.pages].map(([path, text]) => {
    const overview = overviewOf(text, path, entries);
    return page(addressOf(path)!, withSiteLinks(overview, path, links));
  });
  const own = entries.map((entry) =>
    page(entry.address, withSiteLinks(entry.text, entry.source, links), parentOf(entry)),
  );
  const [first, others] = [
    texts.filter(({ address }) => address === addressOf(FIRST)),
    texts.filter(({ address }) => address !== addressOf(FIRST)),
  ];
  return [...first, ...others, ...own, page('/docs/try', TRY), page('/docs/404', NOT_FOUND)];
}

/** Returns the index of all sections for the search in the browser. */
function searchIndex(pages: readonly SitePage[]): string {
  const index = new MiniSearch(SEARCH_OPTIONS);
  const documents = pages.flatMap(({ address, rendered, title }) =>
    rendered.parts.map(({ anchor, heading, text }) => ({
      id: anchor === '' ? address : `${address}#${anchor}`,
      title,
      heading: anchor === '' ? '' : heading,
      text,
      excerpt: text.slice(0, 140),
    })),
  );
  const found = documents.filter(({ id }) => !id.startsWith('/docs/404'));
  index.addAll([...new Map(found.map((each) => [each.id, each])).values()]);
  return JSON.stringify(index);
}

/** Builds the index for language models, in the llmstxt.org format. */
function llmsText(
  {
    entries,
    navigation,
  }: { entries: readonly Entry[]; navigation: ReturnType<typeof navigationOf> },
  pages: readonly SitePage[],
): string {
  const known = new Set(pages.map(({ address }) => address));
  const sections = navigation.map(({ links, title }) => {
    const lines = links
      .filter(({ address }) => known.has(address))
      .map((link) => `- [${link.title}](${link.address}.md)`);
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  const kinds = [
    ['action', 'Actions'],
    ['query', 'Queries'],
    ['channel', 'Channels'],
    ['error', 'Errors'],
  ] as const;
  const references = kinds.map(([kind, title]) => {
    const lines = entries
      .filter((entry) => entry.kind === kind)
      .map(({ address, name, summary }) => `- [${name}](${address}.md): ${plainText(summary)}`);
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  return `# Oddlot

> A trading venue for perpetual futures and outcome markets. Signed actions are sent to POST /exchange, queries to
> POST /info, and streams are on /ws, /api-ws and /ws-rtds. Amounts and prices are decimal strings.

[All pages in one file](/llms-full.txt)

${[...sections, ...references].join('\n\n')}

## Descriptions for programs

- [OpenAPI 3.1](/openapi.json): the HTTP endpoints
- [AsyncAPI 3](/asyncapi.json): the WebSocket streams
`;
}
