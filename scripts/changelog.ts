import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Assembles CHANGELOG.md from the fragments in changes/. Each change has its own file, so two
 * changes never touch the same line. `npm run release` collects the fragments below the marker in
 * CHANGELOG.md.
 */

/** The sections of a release, in display order. */
export const SECTIONS = [
  'Upgrade steps',
  'Added',
  'Changed',
  'Fixed',
  'Security',
  'Removed',
] as const;
type Section = (typeof SECTIONS)[number];

/** New releases are inserted below this line. */
export const MARKER = '<!-- releases, newest first -->';

/** The maximum number of words in an entry, excluding its compatibility note. */
const ENTRY_WORDS_MAX = 45;

export const ENTRY = /^- \*\*[A-Z][\w, -]*:\*\* \S.*\.$/;

export type Fragment = {
  readonly path: string;
  readonly section: Section;
  /** The entries as printed, one line each. */
  readonly entries: readonly string[];
};

type FragmentProblem = { readonly line: number; readonly problem: string };

/**
 * Parses a fragment, which consists of a section and a list. A wrapped line continues after two
 * spaces.
 */
export function parseFragment(file: {
  readonly path: string;
  readonly text: string;
}): Fragment | FragmentProblem {
  if (!/^changes\/[a-z0-9]+(?:-[a-z0-9]+)*\.md$/.test(file.path)) {
    return { line: 1, problem: 'a fragment is named changes/<slug>.md, in kebab-case' };
  }
  const [first = '', ...rest] = file.text.trimEnd().split('\n');
  const section = SECTIONS.find((name) => name === first.trim());
  if (section === undefined) {
    return { line: 1, problem: `the first line is one of ${SECTIONS.join(', ')}` };
  }
  const entries = rest
    .join('\n')
    .replaceAll(/\n {2}(?=\S)/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
  if (entries.length === 0) return { line: 2, problem: 'a list follows the section' };
  const wrong = entries.find((entry) => !ENTRY.test(entry));
  if (wrong !== undefined) {
    const problem = `"${wrong.slice(0, 40)}" is not an entry such as "- **API:** A sentence."`;
    return { line: lineOf(rest, wrong), problem };
  }
  const long = entries.find((entry) => wordsOf(entry) > ENTRY_WORDS_MAX);
  if (long !== undefined) {
    return { line: lineOf(rest, long), problem: `an entry has at most ${ENTRY_WORDS_MAX} words` };
  }
  return { path: file.path, section, entries };
}

function lineOf(lines: readonly string[], entry: string): number {
  return lines.findIndex((line) => line !== '' && entry.startsWith(line)) + 2;
}

function wordsOf(entry: string): number {
  return entry.split(' *Compatibility:*')[0]!.split(/\s+/).length;
}

/** Returns the changelog with a new release at the top. */
export function assemble(
  changelog: string,
  fragments: readonly Fragment[],
  release: Release,
): string {
  if (!changelog.includes(MARKER)) throw new Error(`CHANGELOG.md has no line "${MARKER}"`);
  if (fragments.length === 0) throw new Error('changes/ contains no fragments: nothing to release');
  if (changelog.includes(`\n## ${release.version} `)) {
    throw new Error(`CHANGELOG.md already has a release ${release.version}`);
  }
  const ordered = [...fragments].sort((a, b) => (a.path < b.path ? -1 : 1));
  const sections = SECTIONS.flatMap((section) => {
    const entries = ordered.filter((fragment) => fragment.section === section);
    if (entries.length === 0) return [];
    return [`### ${section}\n\n${entries.flatMap((each) => each.entries).join('\n')}\n`];
  });
  const text = `## ${release.version} (${release.date})\n\n${sections.join('\n')}`;
  const [head = '', tail = ''] = changelog.split(MARKER, 2);
  return `${head}${MARKER}\n\n${text}${tail.trim() === '' ? '' : `\n${tail.trimStart()}`}`;
}

export type Release = { readonly version: string; readonly date: string };

/** Returns the releases in the order of the file, which is newest first. */
export function releasesIn(changelog: string): Release[] {
  const headings = changelog.matchAll(/^## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$/gm);
  return [...headings].map(([, version = '', date = '']) => ({ version, date }));
}

export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((each) => each.split('.').map(Number));
  const at = a!.findIndex((part, index) => part !== b![index]);
  return at >= 0 && a![at]! > b![at]!;
}

export function readFragments(root: string): Fragment[] {
  return readdirSync(join(root, 'changes'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => {
      const path = `changes/${name}`;
      const parsed = parseFragment({ path, text: readFileSync(join(root, path), 'utf8') });
      if ('problem' in parsed) throw new Error(`${path}:${parsed.line} ${parsed.problem}`);
      return parsed;
    });
}
