/**
 * Source files in the form that the rules need. Rules search for words in code, so comments,
 * strings and regular expressions are blanked first. Each character becomes a space and line breaks
 * remain, so positions are the same in both texts. A small tokenizer distinguishes code from other
 * text; it is not a parser.
 */

export type SourceFile = { readonly path: string; readonly text: string };

export type Finding = {
  readonly path: string;
  /** The line number, starting with 1. */
  readonly line: number;
  readonly rule: string;
  /** The problem and the correct form. */
  readonly message: string;
};

export type Source = SourceFile & {
  /** Code only: comments, regular expressions and string contents are blanked. */
  readonly code: string;
  /** Code and strings: only comments are blanked. */
  readonly uncommented: string;
  readonly comments: string;
};

type Kind = 'code' | 'string' | 'comment';

export function toSource(file: SourceFile): Source {
  const kinds = classify(file.text);
  const keep = (wanted: (kind: Kind) => boolean): string =>
    file.text.replace(/[^\n]/g, (char, at: number) => (wanted(kinds[at] ?? 'code') ? char : ' '));
  return {
    ...file,
    code: keep((kind) => kind === 'code'),
    uncommented: keep((kind) => kind !== 'comment'),
    comments: keep((kind) => kind === 'comment'),
  };
}

/** Returns the line of an offset, starting with 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Returns the kind of every character. Characters are UTF-16 units, as in `replace`. */
function classify(text: string): Kind[] {
  const kinds: Kind[] = Array.from({ length: text.length }, () => 'code');
  const mark = (from: number, to: number, kind: Kind): number => {
    kinds.fill(kind, from, to);
    return to;
  };
  // The number of open braces inside the current `${}` of each open template.
  const templates: number[] = [];
  let at = text.startsWith('#!') ? mark(0, endOfLine(text, 0), 'comment') : 0;
  while (at < text.length) {
    const char = text[at];
    const pair = text.slice(at, at + 2);
    if (pair === '//') at = mark(at, endOfLine(text, at), 'comment');
    else if (pair === '/*') at = mark(at, endOfBlock(text, at), 'comment');
    else if (char === "'" || char === '"') at = mark(at + 1, endOfQuoted(text, at), 'string') + 1;
    else if (char === '/' && startsRegex(text, kinds, at)) {
      at = mark(at, endOfRegex(text, at) + 1, 'string');
    } else if (char === '`') {
      at = openTemplate(text, at + 1, templates, mark);
    } else {
      const depth = templates.at(-1);
      if (depth !== undefined && char === '{') templates[templates.length - 1] = depth + 1;
      if (depth !== undefined && depth > 0 && char === '}') {
        templates[templates.length - 1] = depth - 1;
      }
      if (depth === 0 && char === '}') {
        templates.pop();
        at = openTemplate(text, at + 1, templates, mark);
      } else at++;
    }
  }
  return kinds;
}

/** Blanks template text from `from` up to its closing quote, or up to the code of a `${`. */
function openTemplate(
  text: string,
  from: number,
  templates: number[],
  mark: (from: number, to: number, kind: Kind) => number,
): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '`') return mark(from, at, 'string') + 1;
    else if (text.startsWith('${', at)) {
      templates.push(0);
      return mark(from, at, 'string') + 2;
    }
  }
  return mark(from, text.length, 'string');
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function endOfBlock(text: string, from: number): number {
  const end = text.indexOf('*/', from + 2);
  return end < 0 ? text.length : end + 2;
}

/** Returns the offset of the closing quote, or of a line break before it. */
function endOfQuoted(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === text[from] || text[at] === '\n') return at;
  }
  return text.length;
}

function endOfRegex(text: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '[') inClass = true;
    else if (text[at] === ']') inClass = false;
    else if (text[at] === '\n' || (text[at] === '/' && !inClass)) return at;
  }
  return text.length;
}

/**
 * Returns true if a slash begins a regular expression, which is possible only where a value can
 * begin. Elsewhere, a slash is a division.
 */
function startsRegex(text: string, kinds: readonly Kind[], slash: number): boolean {
  let at = slash - 1;
  while (at >= 0 && (kinds[at] === 'comment' || /\s/.test(text[at] ?? ''))) at--;
  if (at < 0) return true;
  const before = text.slice(Math.max(0, at - 10), at + 1);
  const word = /[\w$]+$/.exec(before)?.[0];
  if (word !== undefined) return /^(?:return|typeof|case|in|of|throw|else|await|yield)$/.test(word);
  return !/[)\]'"`]$/.test(before);
}
