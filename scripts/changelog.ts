import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Assembles CHANGELOG.md from the fragments in changes/. Every change that a user can notice brings
 * its own small file, so two changes never touch the same line; `npm run release` collects them under
 * the marker in CHANGELOG.md.
 */

/** The sections of a release, in the order in which they are printed. */
export const SECTIONS = [
  'Upgrading',
  'Safety',
  'Trading',
  'API',
  'SDK',
  'Web',
  'Internals',
] as const;
type Section = (typeof SECTIONS)[number];

/** New releases are written under this line. */
export const MARKER = '<!-- releases, newest first -->';

export type Fragment = {
  readonly path: string;
  readonly section: Section;
  /** The change in one or more sentences, on one line. */
  readonly text: string;
  /** What an operator or a client must do, where a log, dump or wire format changed. */
  readonly compatibility: string | undefined;
};

type FragmentProblem = { readonly line: number; readonly problem: string };

/** Reads a fragment: the section, a blank line or none, then prose. */
export function parseFragment(file: {
  readonly path: string;
  readonly text: string;
}): Fragment | FragmentProblem {
  if (!/^changes\/[a-z0-9]+(?:-[a-z0-9]+)*\.md$/.test(file.path)) {
    return { line: 1, problem: 'a fragment is named changes/<slug>.md, in kebab-case' };
  }
  const lines = file.text.trimEnd().split('\n');
  const section = SECTIONS.find((name) => name === lines[0]?.trim());
  if (section === undefined) {
    return { line: 1, problem: `the first line is one of ${SECTIONS.join(', ')}` };
  }
  const body = lines.slice(1).join(' ').replace(/\s+/g, ' ').trim();
  const [text, compatibility, ...more] = body.split(/\s*\bCompatibility:\s*/);
  if (text === undefined || text === '') {
    return { line: 2, problem: 'the change is told in a sentence after the section' };
  }
  if (more.length > 0) return { line: 2, problem: 'Compatibility: may stand once' };
  const sentences = [text, compatibility].filter((part) => part !== undefined);
  if (!sentences.every((part) => /^\S.*\.$/.test(part))) {
    return { line: 2, problem: 'the text is whole sentences and ends with a full stop' };
  }
  return { path: file.path, section, text, compatibility };
}

/** The changelog with one more release on top. */
export function assemble(
  changelog: string,
  fragments: readonly Fragment[],
  release: Release,
): string {
  if (!changelog.includes(MARKER)) throw new Error(`CHANGELOG.md has no line "${MARKER}"`);
  if (fragments.length === 0) throw new Error('changes/ holds no fragment: nothing to release');
  if (changelog.includes(`\n## ${release.version} `)) {
    throw new Error(`CHANGELOG.md already has a release ${release.version}`);
  }
  const ordered = [...fragments].sort((a, b) => (a.path < b.path ? -1 : 1));
  const sections = SECTIONS.flatMap((section) => {
    const entries = ordered.filter((fragment) => fragment.section === section);
    if (entries.length === 0) return [];
    return [`### ${section}\n\n${entries.map(formatEntry).join('\n')}\n`];
  });
  const text = `## ${release.version} (${release.date})\n\n${sections.join('\n')}`;
  const [head = '', tail = ''] = changelog.split(MARKER, 2);
  return `${head}${MARKER}\n\n${text}${tail.trim() === '' ? '' : `\n${tail.trimStart()}`}`;
}

function formatEntry({ text, compatibility }: Fragment): string {
  if (compatibility === undefined) return `- ${text}`;
  return `- ${text}\n  **Compatibility:** ${compatibility}`;
}

/** A release that CHANGELOG.md has. */
export type Release = { readonly version: string; readonly date: string };

/** Newest first, as they stand there. */
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
