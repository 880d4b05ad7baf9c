import { describe, expect, test } from 'vitest';
import { assemble, MARKER, parseFragment, type Fragment } from './changelog.ts';

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
