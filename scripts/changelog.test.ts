import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  assemble,
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

describe('a fragment', () => {
  test('is a section and a sentence', () => {
    expect(fragment('fees', 'Trading\n\nFees round up once\nper order.\n')).toEqual({
      path: 'changes/fees.md',
      section: 'Trading',
      text: 'Fees round up once per order.',
      compatibility: undefined,
    });
  });

  test('may say what it does to stored data', () => {
    const parsed = fragment(
      'dump',
      'Safety\nDumps name a version.\nCompatibility: Take a new one.',
    );
    expect(parsed.text).toBe('Dumps name a version.');
    expect(parsed.compatibility).toBe('Take a new one.');
  });

  test.each([
    ['changes/Fees.md', 'Trading\nA change.', 1, 'kebab-case'],
    ['changes/fees.md', 'Bugs\nA change.', 1, 'Safety, Trading'],
    ['changes/fees.md', '', 1, 'Safety, Trading'],
    ['changes/fees.md', 'Trading\n\n', 2, 'a sentence'],
    ['changes/fees.md', 'Trading\nno full stop', 2, 'full stop'],
    ['changes/fees.md', 'Trading\nA.\nCompatibility: b', 2, 'full stop'],
    ['changes/fees.md', 'Trading\nA.\nCompatibility: B.\nCompatibility: C.', 2, 'once'],
  ])('%s with %j is refused', (path, text, line, part) => {
    const parsed = parseFragment({ path, text });
    expect(parsed).toMatchObject({ line, problem: expect.stringContaining(part) });
  });
});

describe('a release', () => {
  const release = { version: '0.2.0', date: '2026-03-01' };

  test('stands on top, by section and then by name', () => {
    const fragments = [
      fragment('b', 'Internals\nSecond.'),
      fragment('c', 'Trading\nThird.\nCompatibility: Replay once.'),
      fragment('a', 'Internals\nFirst.'),
    ];
    const before = `# Changelog\n\n${MARKER}\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n`;
    expect(assemble(before, fragments, release)).toBe(`# Changelog

${MARKER}

## 0.2.0 (2026-03-01)

### Trading

- Third.
  **Compatibility:** Replay once.

### Internals

- First.
- Second.

## 0.1.0 (2026-01-01)

- Old.
`);
  });

  test('can be the first', () => {
    const after = assemble(`# Changelog\n\n${MARKER}\n`, [fragment('a', 'API\nFirst.')], release);
    expect(after.endsWith('### API\n\n- First.\n')).toBe(true);
  });

  test('is refused without fragments, without the marker, and twice', () => {
    const one = [fragment('a', 'API\nFirst.')];
    const changelog = `${MARKER}\n`;
    expect(() => assemble(changelog, [], release)).toThrow('nothing to release');
    expect(() => assemble('# Changelog\n', one, release)).toThrow('no line');
    expect(() => assemble(assemble(changelog, one, release), one, release)).toThrow('already has');
  });
});

describe('CHANGELOG.md', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const releases = releasesIn(changelog);

  test('has every release once, the newest first', () => {
    expect(changelog.match(/^## /gm)).toHaveLength(releases.length);
    expect(releases.map(({ version }) => version).slice(-2)).toEqual(['0.2.0', '0.1.0']);
    for (const [index, { version, date }] of releases.slice(1).entries()) {
      expect(isNewer(releases[index]!.version, version)).toBe(true);
      expect(releases[index]!.date >= date).toBe(true);
    }
  });

  test('has no release that is newer than the tree', () => {
    const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { readonly version: string };
    expect(isNewer(releases[0]!.version, version)).toBe(false);
  });

  test('begins each release with what to do, and has its sections in order', () => {
    for (const text of changelog.split(/^## /m).slice(1)) {
      const sections = [...text.matchAll(/^### (.+)$/gm)].map((match) => match[1]!);
      expect(sections[0]).toBe('Upgrading');
      expect(sections).toEqual(SECTIONS.filter((section) => sections.includes(section)));
    }
  });

  test('has whole sentences', () => {
    const [, text = ''] = changelog.split(MARKER);
    for (const line of text.split('\n').filter((each) => each !== '')) {
      expect(line).toMatch(/^(?:## .+|### .+|- .+\.|  \*\*Compatibility:\*\* .+\.)$/);
    }
  });
});

test.each([
  ['0.3.0', '0.2.9', true],
  ['0.10.0', '0.9.9', true],
  ['1.0.0', '0.99.99', true],
  ['0.2.0', '0.2.0', false],
  ['0.2.0', '0.10.0', false],
])('%s is newer than %s: %s', (version, than, is) => {
  expect(isNewer(version, than)).toBe(is);
});
