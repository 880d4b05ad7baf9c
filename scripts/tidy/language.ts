import { lineAt, type Finding, type Source, type SourceFile } from './source.ts';

/**
 * Reports the phrases that STYLE.md rules out in documents, page texts, program messages, comments
 * and test titles. Code, quoted names and links are not prose and are not searched.
 */

type Phrase = { readonly pattern: RegExp; readonly instead: string };

const PHRASES: readonly Phrase[] = [
  { pattern: /\b[Ww]ho(?:m|se)?ever\b/g, instead: 'name the subject: "anyone with this key"' },
  {
    pattern: /(?<=^[\s/>#|*\-\d.]*|[.:;!]\s+|\|\s+)(?:Who|What|Whom|Whose)\b(?!\s*\||[^.!]*\?)/gm,
    instead: 'begin with the noun: "orders that …", not "what …"',
  },
  {
    pattern:
      /(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!longer\b|more than\b|less than\b|fewer\b)/g,
    instead: 'write "is not a", or use a verb',
  },
  { pattern: /\b(?:go|goes|going|went|gone) on\b(?! sale)/g, instead: 'write "continue"' },
  {
    pattern: /\bof (?:its|their|one's|his|her|my|our|your) own\b(?! \w)/g,
    instead: 'write "its own X", not "an X of its own"',
  },
  { pattern: /\b(?:tells|told)\b/g, instead: 'machines report, return, show or log' },
  {
    pattern: /\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody)\b/g,
    instead:
      'name the user, the client or the process; or use the passive: "no notification is sent"',
  },
  {
    pattern: /\b(?:stands|stood)\b(?! (?:for|out)\b)|\b(?:lies|lay)\b/g,
    instead: 'files contain, screens show, orders rest, values are stored',
  },
  {
    pattern: /\b(?:doors?|journeys?|archivists?|strangers?|deeds?|twins?)\b/gi,
    instead: 'use the standard term; docs/glossary.md lists them',
  },
  {
    pattern:
      /(?<!\b(?:nonce|price|funding) |Math\.)\bfloors?\b(?! (?:of|for) (?:the |a )?nonces?)/gi,
    instead: 'write "layer"; only nonces have a floor',
  },
  { pattern: /\brooms?\b(?! (?:for|to|left)\b)/gi, instead: 'write "module", "folder" or "space"' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: 'write "fix" or "repair"' },
  { pattern: /\bbeside\b(?! the point)/gi, instead: 'write "next to" or "in addition to"' },
  { pattern: /\belse(?=[.;,)]|$)/g, instead: 'write "otherwise", and put it first' },
  {
    pattern: /\b(?:is|are|was|were) over\b(?! [\d$])/g,
    instead: 'write "ends", "closes", "has expired"',
  },
];

/**
 * Files that are not checked: API error texts, which clients match, and this file and its test,
 * which contain the phrases.
 */
const EXEMPT: ReadonlySet<string> = new Set([
  'packages/protocol/src/message-groups.ts',
  'scripts/tidy/language.ts',
  'scripts/tidy/language.test.ts',
]);

/** Reports phrases in a document, in page texts, and in comments, messages and test titles. */
export function checkLanguage(file: SourceFile, source?: Source): Finding[] {
  if (EXEMPT.has(file.path)) return [];
  if (file.path.endsWith('.md')) return find(file, proseOf(file.text));
  if (/^packages\/web\/src\/words\/en\.json$/.test(file.path)) {
    return find(file, valuesOf(file.text));
  }
  if (source === undefined) return [];
  return [...find(file, source.comments), ...find(file, stringsOf(source))];
}

function find(file: SourceFile, prose: string): Finding[] {
  return PHRASES.flatMap(({ instead, pattern }) =>
    [...prose.matchAll(pattern)].map((match) => ({
      path: file.path,
      line: lineAt(prose, match.index),
      rule: 'language',
      message: `"${match[0].trim()}": ${instead}`,
    })),
  );
}

/** Replaces a match with spaces. Line breaks are kept, so that line numbers do not change. */
const blank = (match: string): string => match.replace(/[^\n]/g, ' ');

function proseOf(markdown: string): string {
  return markdown
    .replace(/^```[^]*?^```/gm, blank)
    .replace(/<!--[^]*?-->|<a [^>]*>/g, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)]*\)/g, blank);
}

/** Returns the values of a JSON file with its keys blanked. */
function valuesOf(json: string): string {
  return json.replace(/^\s*"[^"]*":/gm, blank).replace(/^\s*"|",?$/gm, blank);
}

/** Returns strings of at least three words. Shorter ones are names. */
function stringsOf({ code, uncommented }: Source): string {
  const strings = uncommented.replace(/[^\n]/g, (char, at: number) =>
    code[at] === char ? ' ' : char,
  );
  return strings.replace(/\S(?:.*\S)?/g, (line) =>
    /\w \w.*\w \w/.test(line) ? line : blank(line),
  );
}
