import { describe, expect, test } from 'vitest';
import { tidy } from '../tidy.ts';
import { RULEBOOK_PATH } from './rulebook.ts';

/** Rules that do not exist, put together from parts so that they are not found in this file. */
const rule = (name: string): string => ['R', name].join('-');
const KEPT = rule('kept');
const OTHER = rule('other-one');
const GONE = rule('gone');

const CODE = 'packages/engine/src/perp/margin.ts';

function section(name: string, lines = '*Why:* a reason.'): string {
  return `### ${name}\n\nThe text of the rule.\n\n${lines}\n\n`;
}

/** Findings in a tree with this rulebook and these other files. */
function found(rulebook: string | undefined, files: Readonly<Record<string, string>>): string[] {
  const texts = rulebook === undefined ? files : { ...files, [RULEBOOK_PATH]: rulebook };
  return tidy(Object.entries(texts).map(([path, text]) => ({ path, text }))).map(
    (finding) => `${finding.path}:${finding.line} ${finding.rule}`,
  );
}

describe('the rulebook', () => {
  const rulebook = section(KEPT) + section(OTHER);

  test('has nothing to say when every rule is cited and every citation has its rule', () => {
    const files = { [CODE]: `// ${KEPT}, of ${OTHER}.`, 'docs/a.md': `${KEPT}'s` };
    expect(found(rulebook, files)).toEqual([]);
  });

  test.each([CODE, 'tests/e2e/a.test.ts', 'docs/a.md', 'bench/run.ts', 'README.md'])(
    'lacks a rule that %s cites',
    (path) => {
      const cited = `// ${KEPT} and ${OTHER}`;
      const files = { 'scripts/a.ts': cited, [path]: `\n// ${GONE}` };
      expect(found(rulebook, files)).toEqual([`${path}:2 rule-unknown`]);
    },
  );

  test('is missing altogether', () => {
    expect(found(undefined, { [CODE]: `// ${KEPT}` })).toEqual([`${CODE}:1 rule-unknown`]);
  });

  test('cites itself only with names that it has', () => {
    const text = `${section(KEPT, `${GONE}\n\n*Why:* see ${KEPT}.`)}`;
    expect(found(text, { [CODE]: `// ${KEPT}` })).toEqual([`${RULEBOOK_PATH}:5 rule-unknown`]);
  });

  test('has a rule that only pages cite, or nobody', () => {
    const files = { [CODE]: `// ${KEPT}`, 'docs/a.md': OTHER, 'packages/sdk/README.md': OTHER };
    expect(found(rulebook, files)).toEqual([`${RULEBOOK_PATH}:7 rule-uncited`]);
  });

  test('may be ahead of the code and says so, until the rule is cited', () => {
    const ahead = section(OTHER, '*Not built yet:* the bridge.\n\n*Why:* a reason.');
    expect(found(ahead, {})).toEqual([]);
    expect(found(ahead, { [CODE]: `// ${OTHER}` })).toEqual([`${RULEBOOK_PATH}:1 rule-built`]);
  });

  test('gives each rule one heading and a reason', () => {
    const twice = section(KEPT) + section(KEPT);
    expect(found(twice, { [CODE]: KEPT })).toEqual([`${RULEBOOK_PATH}:7 rule-twice`]);
    const bare = section(KEPT, '');
    expect(found(bare, { [CODE]: KEPT })).toEqual([`${RULEBOOK_PATH}:1 rule-reason`]);
  });

  test('is linked by anchors that exist', () => {
    const anchor = (name: string): string => `[it](rulebook.md#${name.toLowerCase()})`;
    const files = { [CODE]: KEPT, 'docs/a.md': `${anchor(KEPT)}\n${anchor(GONE)}` };
    expect(found(section(KEPT), files)).toEqual(['docs/a.md:2 rule-unknown']);
    const inside = section(KEPT, `[gone](#${GONE.toLowerCase()})\n*Why:* a reason.`);
    expect(found(inside, { [CODE]: KEPT })).toEqual([`${RULEBOOK_PATH}:5 rule-unknown`]);
  });

  test('is not asked for what is part of a longer word, or in a lockfile', () => {
    const files = { [CODE]: `FOR-ever ${KEPT}`, 'package-lock.json': `{"a": "x/${GONE}"}` };
    expect(found(section(KEPT), files)).toEqual([]);
  });
});
