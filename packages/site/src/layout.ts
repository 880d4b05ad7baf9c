import { escaped } from './highlight.ts';
import type { Rendered } from './markdown.ts';
import type { NavigationSection } from './navigation.ts';
import type { Entry } from './reference.ts';

/** Site files whose names contain a hash of their content. */
export type Assets = {
  readonly styles: string;
  readonly theme: string;
  readonly script: string;
  readonly tryIt: string;
  readonly font: string;
};

export type SitePage = {
  readonly address: string;
  readonly title: string;
  /** The page in the navigation that this page belongs to, if it is not itself listed. */
  readonly parent?: string | undefined;
  readonly markdown: string;
  readonly rendered: Rendered;
};

type Frame = {
  readonly navigation: readonly NavigationSection[];
  readonly entries: readonly Entry[];
  readonly assets: Assets;
  readonly version: string;
};

const DESCRIPTION_MAX = 160;
/** The maximum depth of headings in the outline on the right. */
const OUTLINE_DEPTH_MAX = 3;

/** Returns the HTML of a page. All scripts and styles are files. */
export function pageHtml(page: SitePage, frame: Frame): string {
  const { assets } = frame;
  const { address, rendered, title } = page;
  const isFirst = address === '/docs';
  const tryIt =
    address === '/docs/try' ? `<script type="module" src="${assets.tryIt}"></script>` : '';
  const description = (rendered.parts[0]?.text ?? '').slice(0, DESCRIPTION_MAX);
  return `<!doctype html>
<html lang="en" data-theme="dark">
<head>
<meta charset="utf-8">
<title>${escaped(isFirst ? 'Oddlot documentation' : `${title} · Oddlot`)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escaped(description)}">
<script src="${assets.theme}"></script>
<link rel="preload" href="${assets.font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${assets.styles}">
<link rel="icon" href="/docs/favicon.svg" type="image/svg+xml">
<link rel="alternate" type="text/markdown" href="${address}.md">
<script type="module" src="${assets.script}"></script>
${tryIt}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<button class="menu" type="button" aria-expanded="false" aria-controls="navigation">Menu</button>
<a class="brand" href="/docs">odd<span>lot</span> <small>docs</small></a>
<button class="find" type="button" aria-haspopup="dialog"><span>Search</span><kbd>/</kbd></button>
<a class="plain" href="/docs/try">Try it</a>
<a class="plain" href="/">Trade</a>
<button class="theme" type="button" aria-label="Switch between light and dark"></button>
</header>
<div class="columns">
<nav id="navigation" aria-label="Documentation">
<p class="small"><a href="/docs/try">Try it</a> <a href="/">Trade</a></p>
${navigationHtml(page, frame)}</nav>
<main id="content">
<article${isFirst ? ' class="first"' : ''}>
${isFirst ? inCards(rendered.html) : rendered.html}</article>
${neighbours(page, frame)}
<footer><a href="${address}.md">Markdown</a> <a href="/llms.txt">llms.txt</a> <a href="/openapi.json">OpenAPI</a> <a href="/asyncapi.json">AsyncAPI</a> <span>Oddlot ${escaped(frame.version)}</span></footer>
</main>
${outline(page)}
</div>
</body>
</html>
`;
}

/** Returns a page with each of its sections in a card. */
function inCards(html: string): string {
  const [head = '', ...sections] = html.split(/(?=<h2 )/);
  const cards = sections.map((section) => `<section class="card">${section}</section>`);
  return `${head}<div class="cards">${cards.join('\n')}</div>`;
}

function navigationHtml(page: SitePage, { entries, navigation }: Frame): string {
  const current = page.parent ?? page.address;
  return navigation
    .map(({ links, title }) => {
      const isOpen = links.some(({ address }) => address === current);
      const items = links.map((link) => {
        const isHere = link.address === page.address ? ' aria-current="page"' : '';
        const own = link.address === current ? entriesBelow(page, current, entries) : '';
        return `<li><a href="${link.address}"${isHere}>${escaped(link.title)}</a>${own}</li>`;
      });
      return `<details${isOpen ? ' open' : ''}><summary>${escaped(title)}</summary><ul>${items.join('')}</ul></details>`;
    })
    .join('\n');
}

/** Returns links to the actions, queries, channels or errors on a reference page. */
function entriesBelow(page: SitePage, current: string, entries: readonly Entry[]): string {
  const own = entries.filter((entry) => parentOf(entry) === current);
  if (own.length === 0) return '';
  const items = own.map(({ address, name }) => {
    const isHere = address === page.address ? ' aria-current="page"' : '';
    return `<li><a href="${address}"${isHere}>${name}</a></li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

/** Returns the reference page that lists an action, query, channel or error. */
export function parentOf({ source }: Entry): string {
  return source.replace(/^docs\/reference\/(.+)\.md$/, '/docs/$1');
}

/** Returns links to the previous and next pages in navigation order. */
function neighbours(page: SitePage, { entries, navigation }: Frame): string {
  const all = navigation
    .flatMap(({ links }) => links)
    .flatMap((link) => [
      link,
      ...entries
        .filter((entry) => parentOf(entry) === link.address)
        .map(({ address, name }) => ({ address, title: name })),
    ]);
  const at = all.findIndex(({ address }) => address === page.address);
  const links = [
    [all[at - 1], 'Previous', 'previous'],
    [at < 0 ? undefined : all[at + 1], 'Next', 'next'],
  ] as const;
  const shown = links.flatMap(([link, label, name]) =>
    link === undefined
      ? []
      : [
          `<a class="${name}" href="${link.address}"><small>${label}</small> ${escaped(link.title)}</a>`,
        ],
  );
  return shown.length === 0
    ? ''
    : `<nav class="neighbours" aria-label="Pages">${shown.join('')}</nav>`;
}

function outline({ rendered }: SitePage): string {
  const headings = rendered.headings.filter(({ depth }) => depth <= OUTLINE_DEPTH_MAX);
  if (headings.length < 2) return '';
  const items = headings.map(
    ({ anchor, depth, text }) =>
      `<li class="d${depth}"><a href="#${anchor}">${escaped(text)}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}
