import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  assemble,
  ENTRY,
  isNewer,
  MARKER,
  parseFragment,
  releasesIn,
  SECTIONS,
  type Fragment,
} from './changelog.ts';

const ROOT = join(import.meta.dirname, '..');

function fragment(path: string, text: string): Fragment {
  const parsed = parseFragment({ path: `changes/${path}.md`, text });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed;
}

describe('a change fragment is parsed', () => {
  test('a fragment must consist of a section and a list', () => {
    const text = 'Changed\n\n- **Trading:** Fees round up once\n  per order.\n- **API:** One.\n';
    expect(fragment('fees', text)).toEqual({
      path: 'changes/fees.md',
      section: 'Changed',
      entries: ['- **Trading:** Fees round up once per order.', '- **API:** One.'],
    });
  });

  test('a fragment can have a long note on compatibility', () => {
    const note = 'word '.repeat(60);
    const text = `Security\n- **Log:** Dumps name a version. *Compatibility:* Take a ${note}one.`;
    expect(fragment('dump', text).entries).toHaveLength(1);
  });

  test.each([
    ['changes/Fees.md', 'Added\n- **A:** A change.', 1, 'kebab-case'],
    ['changes/fees.md', 'Bugs\n- **A:** A change.', 1, 'Added, Changed'],
    ['changes/fees.md', '', 1, 'Added, Changed'],
    ['changes/fees.md', 'Added\n\n', 2, 'a list'],
    ['changes/fees.md', 'Added\n\n- **A:** no full stop', 3, 'is not an entry'],
    ['changes/fees.md', 'Added\n- **A:** One.\nA sentence.', 3, 'is not an entry'],
    ['changes/fees.md', 'Added\n- No area.', 2, 'is not an entry'],
    ['changes/fees.md', `Added\n- **A:** ${'word '.repeat(50)}.`, 2, 'at most'],
  ])('the fragment %s is rejected with the text %j', (path, text, line, part) => {
    const parsed = parseFragment({ path, text });
    expect(parsed).toMatchObject({ line, problem: expect.stringContaining(part) });
  });
});

describe('a release is added to the changelog', () => {
  const release = { version: '0.2.0', date: '2026-03-01' };

  test('a release is added at the top, ordered by section and then by name', () => {
    const fragments = [
      fragment('b', 'Fixed\n- **SDK:** Second.'),
      fragment('c', 'Added\n- **API:** Third. *Compatibility:* Replay once.'),
      fragment('a', 'Fixed\n- **SDK:** First.'),
    ];
    const before = `# Changelog\n\n${MARKER}\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n`;
    expect(assemble(before, fragments, release)).toBe(`# Changelog

${MARKER}

## 0.2.0 (2026-03-01)

### Added

- **API:** Third. *Compatibility:* Replay once.

### Fixed

- **SDK:** First.
- **SDK:** Second.

## 0.1.0 (2026-01-01)

- Old.
`);
  });

  test('a release can be the first one', () => {
    const only = fragment('a', 'Added\n- **API:** First.');
    const after = assemble(`# Changelog\n\n${MARKER}\n`, [only], release);
    expect(after.endsWith('### Added\n\n- **API:** First.\n')).toBe(true);
  });

  test('a release is rejected if there are no fragments, the marker is missing, or the release already exists', () => {
    const one = [fragment('a', 'Added\n- **API:** First.')];
    const changelog = `${MARKER}\n`;
    expect(() => assemble(changelog, [], release)).toThrow('nothing to release');
    expect(() => assemble('# Changelog\n', one, release)).toThrow('no line');
    expect(() => assemble(assemble(changelog, one, release), one, release)).toThrow('already has');
  });
});

describe('CHANGELOG.md is complete and consistent', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const releases = releasesIn(changelog);

  test('the changelog lists every release once, newest first', () => {
    expect(changelog.match(/^## /gm)).toHaveLength(releases.length);
    expect(releases.map(({ version }) => version).slice(-2)).toEqual(['0.2.0', '0.1.0']);
    for (const [index, { version, date }] of releases.slice(1).entries()) {
      expect(isNewer(releases[index]!.version, version)).toBe(true);
      expect(releases[index]!.date >= date).toBe(true);
    }
  });

  test('the changelog has no release newer than the version in package.json', () => {
    const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { readonly version: string };
    expect(isNewer(releases[0]!.version, version)).toBe(false);
  });

  test('each release in the changelog begins with its upgrade steps and has its sections in order', () => {
    for (const text of changelog.split(/^## /m).slice(1)) {
      const sections = [...text.matchAll(/^### (.+)$/gm)].map((match) => match[1]!);
      expect(sections[0]).toBe('Upgrade steps');
      expect(sections).toEqual(SECTIONS.filter((section) => sections.includes(section)));
    }
  });

  test('all changelog entries have the same format', () => {
    for (const text of changelog.split(/^### .+$/m).slice(1)) {
      const [entries = ''] = text.split(/^## /m);
      for (const line of entries.split('\n').filter((each) => each !== '')) {
        expect(line).toMatch(ENTRY);
      }
    }
  });
});

test.each([
  ['0.3.0', '0.2.9', true],
  ['0.10.0', '0.9.9', true],
  ['1.0.0', '0.99.99', true],
  ['0.2.0', '0.2.0', false],
  ['0.2.0', '0.10.0', false],
])('version %s is newer than %s: %s', (version, than, is) => {
  expect(isNewer(version, than)).toBe(is);
});
