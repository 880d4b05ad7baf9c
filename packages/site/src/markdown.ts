import { Marked, type Tokens } from 'marked';
import { escaped, highlighted } from './highlight.ts';

/** A heading below a page's title. */
type Heading = { readonly depth: number; readonly anchor: string; readonly text: string };

/** A part of a page that search can find: the text below one heading. */
type Part = { readonly anchor: string; readonly heading: string; readonly text: string };

export type Rendered = {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly parts: readonly Part[];
};

/** Returns a diagram's drawing, given its source, or undefined if it has not been drawn. */
type Drawings = (source: string) => string | undefined;

const TABS = /<!-- tabs -->\n([^]*?)<!-- \/tabs -->/g;
const TAB = /^(\w+):\n\n```(\w+)\n([^]*?)\n```$/gm;
const PLACE = /<!-- tabs (\d+) -->/g;

/** Renders a page. Its text comes from the repository, so its HTML is trusted. */
export function render(text: string, drawingOf: Drawings): Rendered {
  const groups: string[] = [];
  const placed = text.replace(TABS, (_, content: string) => {
    groups.push(tabGroup(content));
    return `<!-- tabs ${groups.length - 1} -->`;
  });
  const headings: Heading[] = [];
  const anchors = new Map<string, number>();
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ depth, tokens, text: source }: Tokens.Heading): string {
        const inner = this.parser.parseInline(tokens);
        const plain = plainText(source);
        const anchor = unique(slug(plain), anchors);
        if (depth > 1) headings.push({ depth, anchor, text: plain });
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to ${escaped(plain)}">#</a>`;
        return depth === 1
          ? `<h1>${inner}</h1>\n`
          : `<h${depth} id="${anchor}">${inner}${link}</h${depth}>\n`;
      },
      code({ lang = '', text: code }: Tokens.Code): string {
        const drawn = lang === 'mermaid' ? drawingOf(code) : undefined;
        if (drawn === undefined) return codeBlock(code, lang);
        return diagram(drawn, headings.at(-1)?.text ?? 'overview');
      },
      table(token: Tokens.Table): string {
        const cells = (row: readonly Tokens.TableCell[], tag: string): string =>
          row
            .map(({ text: source, tokens }) => {
              // A header cell without text would have no accessible name.
              const name = source === '' ? 'td' : tag;
              return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
            })
            .join('');
        const head = token.header.some((each) => each.text !== '')
          ? `<thead><tr>${cells(token.header, 'th')}</tr></thead>`
          : '';
        const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(placed, { async: false });
  return {
    html: html.replace(PLACE, (_, index: string) => groups[Number(index)]!),
    headings,
    parts: partsOf(placed),
  };
}

function tabGroup(content: string): string {
  const parts = [...content.matchAll(TAB)].map(
    ([, label = '', language = '', code = '']) =>
      `<section data-label="${label}"><p class="label">${label}</p>${codeBlock(code, language)}</section>`,
  );
  return `<div class="tabs">${parts.join('')}</div>`;
}

function codeBlock(code: string, language: string): string {
  return `<div class="code"><pre tabindex="0"><code>${highlighted(code, language)}</code></pre></div>\n`;
}

function diagram(drawing: string, title: string): string {
  const name = escaped(`Diagram: ${title}`);
  return `<figure class="diagram" tabindex="0" role="img" aria-label="${name}">${drawing}</figure>\n`;
}

/** Returns a line of Markdown without its markup. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/<[^>]+>/g, '')
    .replace(/\[((?:[^[\]]|\[[^[\]]*\])*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\\(.)/g, '$1')
    .trim();
}

/** Returns the anchor that the repository host derives from a heading. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

function unique(anchor: string, used: Map<string, number>): string {
  const count = used.get(anchor) ?? 0;
  used.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** Splits a page at its headings and omits code. */
function partsOf(text: string): Part[] {
  const used = new Map<string, number>();
  const sections = text.replace(/^```[^]*?^```$/gm, '').split(/^(?=#{1,4} \S)/m);
  return sections.flatMap((section) => {
    const [first = '', ...lines] = section.split('\n');
    const heading = plainText(first.replace(/^#+ /, ''));
    if (!first.startsWith('#')) return [];
    const anchor = unique(slug(heading), used);
    const body = plainText(
      lines
        .join(' ')
        .replace(/<!--[^]*?-->/g, '')
        .replace(/\|[-|]+\|/g, ' ')
        .replaceAll('|', ' '),
    ).replace(/\s+/g, ' ');
    return [{ anchor: first.startsWith('# ') ? '' : anchor, heading, text: body }];
  });
}
