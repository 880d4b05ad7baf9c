import { parseFragment } from '../changelog.ts';
import { isTestPath } from './imports.ts';
import { lineAt, type Finding, type Source, type SourceFile } from './source.ts';

/** Rules on names, sizes and words that reviewers would otherwise have to check. */

/** A longer file must be split or be listed with a reason in `LENGTH_EXCEPTIONS`. */
export const FILE_LINES_MAX = 900;

/**
 * A file that may exceed the limit. It may not grow, and its entry must be removed once the file is
 * short enough.
 */
export type LengthException = { readonly lines: number; readonly reason: string };

const VAGUE_NAMES = /^(?:utils?|helpers?|common|misc|(?:[\w-]+-)?manager)$/;
const KEBAB_NAME = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/;

/** Checks the name of a file. The second argument lists the packages' entry points. */
export function checkName(path: string, entryPoints: ReadonlySet<string>): Finding[] {
  const findings: Finding[] = [];
  const report = (rule: string, message: string): void => {
    findings.push({ path, line: 1, rule, message });
  };
  const name = path.slice(path.lastIndexOf('/') + 1);
  const stem = name.split('.')[0] ?? name;
  if (!path.split('/').every((part) => KEBAB_NAME.test(part))) {
    report('name-kebab', 'is not in kebab-case; write place-orders.ts for placeOrders');
  }
  if (VAGUE_NAMES.test(stem)) {
    report('name-vague', `"${stem}" is not descriptive; name the file after its main export`);
  }
  if (
    stem === 'index' &&
    !/^packages\/[^/]+\/src\/index\.tsx?$/.test(path) &&
    !entryPoints.has(path)
  ) {
    report(
      'name-barrel',
      'index.ts must be an entry point listed in "exports"; import the file itself',
    );
  }
  return findings;
}

export function checkLength(
  { path, text }: SourceFile,
  exception: LengthException | undefined,
): Finding[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const report = (message: string): Finding[] => [{ path, line: 1, rule: 'file-length', message }];
  if (exception === undefined) {
    if (lines <= FILE_LINES_MAX) return [];
    return report(`${lines} lines, at most ${FILE_LINES_MAX}; move a part with its own name out`);
  }
  if (lines <= FILE_LINES_MAX)
    return report('is short enough again; remove its entry from LENGTH_EXCEPTIONS');
  if (lines <= exception.lines) return [];
  return report(`grew from ${exception.lines} to ${lines} lines; a listed file may only shrink`);
}

type Word = { readonly rule: string; readonly pattern: RegExp; readonly message: string };

const COMMENT_WORDS: readonly Word[] = [
  { rule: 'fixme', pattern: /\bFIXME\b/g, message: 'fix it, or open an issue: TODO(#123)' },
  {
    rule: 'todo',
    pattern: /\bTODO\b(?!\(#\d+\))/g,
    message: 'does not name an issue; write TODO(#123) or do it',
  },
];

const CODE_WORDS: readonly Word[] = [
  {
    rule: 'export-default',
    pattern: /\bexport\s+default\b/g,
    message: 'is anonymous; export a named function or constant',
  },
];

const TEST_WORDS: readonly Word[] = [
  {
    rule: 'test-focus',
    pattern: /\b(?:test|it|describe|suite|bench)(?:\.\w+)*\.(?:only|skip|todo)\b/g,
    message: 'skips tests; run one with "npx vitest run -t <name>", and delete dead ones',
  },
];

/** The patterns are assembled from parts, so that the rule does not report itself. */
const TEXT_WORDS: readonly Word[] = [
  {
    rule: 'machine-path',
    pattern: /(?<![\w.:/-])\/(?:work|farm|root|Users)\/[\w.-]*/g,
    message: 'exists on one machine only; write a path relative to the repository',
  },
  {
    rule: 'registry-url',
    pattern:
      /https?:\/\/[^\s"'`)]*(?:\bregistry\b|\/-\/)[^\s"'`)]*|^\s*(?:@\S+:)?registry\s*=.*/gim,
    message: 'ties the project to one registry; leave it to the configuration of the user',
  },
  {
    rule: 'outside-text',
    pattern:
      /\b(?:wire|interface|rules)\.md\b|\bwire \d+\.\d+|\u00a7|\b[Ss]ections? \d(?![\d.]* of RFC)/g,
    message: 'does not exist in this repository; cite a rule of docs/rulebook.md or describe it',
  },
  {
    rule: 'control-character',
    // oxlint-disable-next-line no-control-regex
    pattern: /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g,
    message: 'is an invisible control character; remove it or write it as an escape',
  },
];

/** Files that tools load by their default export. */
const DEFAULT_EXPORTS = /(?:^|\/)[\w-]+\.config\.ts$|^scripts\/summary-reporter\.ts$/;

export function checkWords(source: Source): Finding[] {
  return [
    ...find(source, source.comments, COMMENT_WORDS),
    ...(DEFAULT_EXPORTS.test(source.path) ? [] : find(source, source.code, CODE_WORDS)),
    ...(isTestPath(source.path) ? find(source, source.code, TEST_WORDS) : []),
  ];
}

export function checkText(file: SourceFile): Finding[] {
  return find(file, file.text, TEXT_WORDS);
}

function find(file: SourceFile, text: string, words: readonly Word[]): Finding[] {
  return words.flatMap(({ rule, pattern, message }) =>
    [...text.matchAll(pattern)].map((match) => ({
      path: file.path,
      line: lineAt(text, match.index),
      rule,
      message: `"${match[0].trim()}" ${message}`,
    })),
  );
}

/** Reports links between files in the repository whose target does not exist. */
export function checkLinks(file: SourceFile, paths: ReadonlySet<string>): Finding[] {
  const folder = file.path.split('/').slice(0, -1);
  return [...file.text.matchAll(/\]\((?!\w+:|#|\/)([^)\s#]+\.(?:md|ts|json))(?:#[^)\s]*)?\)/g)]
    .filter((match) => {
      const parts = [...folder];
      for (const part of (match[1] ?? '').split('/')) {
        if (part === '..') parts.pop();
        else if (part !== '.') parts.push(part);
      }
      return !paths.has(parts.join('/'));
    })
    .map((match) => ({
      path: file.path,
      line: lineAt(file.text, match.index),
      rule: 'link',
      message: `"${match[1]}" does not exist; correct the link or write the file`,
    }));
}

/** Reports an invalid change fragment, which would otherwise be noticed only at release time. */
export function checkFragment(file: SourceFile): Finding[] {
  const parsed = parseFragment(file);
  if ('section' in parsed) return [];
  return [{ path: file.path, line: parsed.line, rule: 'fragment', message: parsed.problem }];
}
