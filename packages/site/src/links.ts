import { posix } from 'node:path';
import { addressOf, LINK, type Sources, targetOf } from './sources.ts';

/** Pages for single actions, queries, channels and errors, by `<path of the source>#<anchor>`. */
export type EntryAddresses = ReadonlyMap<string, string>;

const FENCE = /(^```[^]*?^```$)/m;
/** Pictures are served as files. All other linked files are served as text. */
const PICTURE = /\.(?:jpg|png|svg)$/;

/** Returns the address at which the site serves a linked file. */
export function addressOfFile(path: string): string {
  return `/docs/source/${path}${PICTURE.test(path) ? '' : '.txt'}`;
}

/**
 * Returns a page whose links point to addresses on the site. Links inside code are left unchanged,
 * and a link to a file outside the site is replaced by its text.
 */
export function withSiteLinks(
  text: string,
  path: string,
  { entries, linked }: { readonly entries: EntryAddresses; readonly linked: Sources['linked'] },
): string {
  const place = (whole: string, label: string, href: string): string => {
    if (/^(?:[a-z]+:|\/)/i.test(href)) return whole;
    const [target, anchor] = targetOf(href, path);
    const entry = entries.get(`${target}#${anchor.toLowerCase()}`);
    if (entry !== undefined) return `[${label}](${entry})`;
    const isFolder = addressOf(posix.join(target, 'README.md'));
    const address = addressOf(target) ?? (target.includes('.') ? undefined : isFolder);
    if (address !== undefined) {
      return `[${label}](${address}${anchor === '' ? '' : `#${anchor}`})`;
    }
    return linked.has(target) ? `[${label}](${addressOfFile(target)})` : label;
  };
  return outsideOfCode(text, (part) => part.replace(LINK, place));
}

/** Returns a page whose links point to other pages' Markdown. */
export function withMarkdownLinks(text: string, addresses: ReadonlySet<string>): string {
  return outsideOfCode(text, (part) =>
    part.replace(LINK, (whole, label: string, href: string) => {
      const [page = '', anchor] = href.split('#');
      if (!addresses.has(page)) return whole;
      return `[${label}](${page}.md${anchor === undefined ? '' : `#${anchor}`})`;
    }),
  );
}

function outsideOfCode(text: string, change: (part: string) => string): string {
  const parts = text.split(FENCE);
  return parts.map((part, index) => (index % 2 === 0 ? change(part) : part)).join('');
}
