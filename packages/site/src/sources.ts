import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

/** The files from which the site is built, read from a checkout of the repository. */
export type Sources = {
  /** The pages' Markdown, by path in the repository. */
  readonly pages: ReadonlyMap<string, string>;
  /** Other files that pages link to, by path in the repository. */
  readonly linked: ReadonlyMap<string, Buffer>;
  /** The diagrams drawn as SVG, by the name derived from each diagram's source. */
  readonly diagrams: ReadonlyMap<string, string>;
  /** The OpenAPI and AsyncAPI documents. */
  readonly openApi: string;
  readonly asyncApi: string;
};

/** Pages outside `docs/`, with their addresses below `/docs`. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'README.md': 'overview',
  'python/README.md': 'build/python',
  'examples/README.md': 'build/examples',
  'CONTRIBUTING.md': 'contribute',
  'ARCHITECTURE.md': 'contribute/architecture',
  'STYLE.md': 'contribute/style',
  'SECURITY.md': 'contribute/security',
  'CHANGELOG.md': 'contribute/changelog',
  'bench/README.md': 'contribute/benchmarks',
  'bench/page/README.md': 'contribute/page-performance',
  'changes/README.md': 'contribute/change-fragments',
  'packages/api/src/ws/README.md': 'contribute/socket-layer',
  'packages/ccxt/README.md': 'build/ccxt',
  'packages/site/README.md': 'contribute/documentation-site',
  'packages/replica/eras/README.md': 'contribute/eras',
  'tests/fixtures/README.md': 'contribute/fixtures',
};

/**
 * Returns the address of a page, or undefined for a file that is not a page. The reference pages
 * are directly below `/docs`, because refusals link to `/docs/errors`.
 */
export function addressOf(path: string): string | undefined {
  const outside = OUTSIDE[path];
  if (outside !== undefined) return `/docs/${outside}`;
  if (!path.startsWith('docs/') || !path.endsWith('.md')) return undefined;
  const place = path.slice('docs/'.length, -'.md'.length).replace(/^reference\//, '');
  return `/docs/${place}`.replace(/\/README$/, '');
}

/** Reads the pages and the files they link to. A link to a missing file becomes plain text. */
export function readSources(root: string): Sources {
  const names = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const paths = [
    ...names.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
    ...Object.keys(OUTSIDE).filter((path) => existsSync(join(root, path))),
  ].toSorted();
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const pages = new Map(paths.map((path) => [path, read(path)]));
  const linked = new Map<string, Buffer>();
  for (const [path, text] of pages) {
    for (const target of targetsOf(text, path)) {
      if (addressOf(target) !== undefined || linked.has(target)) continue;
      const file = join(root, target);
      if (existsSync(file) && statSync(file).isFile()) linked.set(target, readFileSync(file));
    }
  }
  const [openApi, asyncApi] = ['openapi', 'asyncapi'].map((name) =>
    read(`docs/reference/${name}.json`),
  ) as [string, string];
  const drawn = names.filter((name) => /^images\/diagrams\/.+\.svg$/.test(name));
  const diagrams = new Map(
    drawn.toSorted().map((name) => [basename(name, '.svg'), read(`docs/${name}`)]),
  );
  return { pages, linked, diagrams, openApi, asyncApi };
}

/** Matches a Markdown link: its text, and its target without spaces. */
export const LINK = /\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^()\s]+)\)/g;
const ELSEWHERE = /^(?:[a-z]+:|#|\/)/i;

function targetsOf(text: string, path: string): string[] {
  return [...text.matchAll(LINK)]
    .map(([, , href = '']) => href)
    .filter((href) => !ELSEWHERE.test(href))
    .map((href) => targetOf(href, path)[0]);
}

/** Returns a relative link's path in the repository and its anchor. */
export function targetOf(href: string, path: string): readonly [path: string, anchor: string] {
  const [file = '', anchor = ''] = href.split('#');
  return [file === '' ? path : normalize(join(dirname(path), file)).replace(/\/$/, ''), anchor];
}
