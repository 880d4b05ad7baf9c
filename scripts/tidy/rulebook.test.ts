import { describe, expect, test } from 'vitest';
import { tidy } from '../tidy.ts';
import { RULEBOOK_PATH } from './rulebook.ts';

/**
 * Names of rules that do not exist, assembled from parts so that they are not found in this file.
 */
const rule = (name: string): string => ['R', name].join('-');
const KNOWN = rule('kept');
const OTHER = rule('other-one');
const UNKNOWN = rule('gone');

const CODE = 'packages/engine/src/perp/margin.ts';

function section(name: string, lines = '*Why:* a reason.'): string {
  return `### ${name}\n\nThe text of the rule.\n\n${lines}\n\n`;
}

/** Returns the findings for a repository with this rulebook and these other files. */
function found(rulebook: string | undefined, files: Readonly<Record<string, string>>): string[] {
  const texts = rulebook === undefined ? files : { ...files, [RULEBOOK_PATH]: rulebook };
  return tidy(Object.entries(texts).map(([path, text]) => ({ path, text }))).map(
    (finding) => `${finding.path}:${finding.line} ${finding.rule}`,
  );
}

describe('the check reports where the rulebook and the code disagree', () => {
  const rulebook = section(KNOWN) + section(OTHER);

  test('a rulebook has no findings if every rule is cited and every citation has its rule', () => {
    const files = { [CODE]: `// ${KNOWN}, of ${OTHER}.`, 'docs/a.md': `${KNOWN}'s` };
    expect(found(rulebook, files)).toEqual([]);
  });

  test.each([CODE, 'tests/e2e/a.test.ts', 'docs/a.md', 'bench/run.ts', 'README.md'])(
    'a missing rule that %s cites is reported',
    (path) => {
      const cited = `// ${KNOWN} and ${OTHER}`;
      const files = { 'scripts/a.ts': cited, [path]: `\n// ${UNKNOWN}` };
      expect(found(rulebook, files)).toEqual([`${path}:2 rule-unknown`]);
    },
  );

  test('a missing rulebook is reported', () => {
    expect(found(undefined, { [CODE]: `// ${KNOWN}` })).toEqual([`${CODE}:1 rule-unknown`]);
  });

  test('a citation of an unknown rule is reported', () => {
    const text = `${section(KNOWN, `${UNKNOWN}\n\n*Why:* see ${KNOWN}.`)}`;
    expect(found(text, { [CODE]: `// ${KNOWN}` })).toEqual([`${RULEBOOK_PATH}:5 rule-unknown`]);
  });

  test('a rule that only pages cite, or that is never cited, is reported', () => {
    const files = { [CODE]: `// ${KNOWN}`, 'docs/a.md': OTHER, 'packages/sdk/README.md': OTHER };
    expect(found(rulebook, files)).toEqual([`${RULEBOOK_PATH}:7 rule-uncited`]);
  });

  test('a rule marked as not built is accepted until it is cited', () => {
    const ahead = section(OTHER, '*Not built yet:* the bridge.\n\n*Why:* a reason.');
    expect(found(ahead, {})).toEqual([]);
    expect(found(ahead, { [CODE]: `// ${OTHER}` })).toEqual([`${RULEBOOK_PATH}:1 rule-built`]);
  });

  test('each rule needs one heading and a reason', () => {
    const twice = section(KNOWN) + section(KNOWN);
    expect(found(twice, { [CODE]: KNOWN })).toEqual([`${RULEBOOK_PATH}:7 rule-twice`]);
    const bare = section(KNOWN, '');
    expect(found(bare, { [CODE]: KNOWN })).toEqual([`${RULEBOOK_PATH}:1 rule-reason`]);
  });

  test('links to unknown anchors are reported', () => {
    const anchor = (name: string): string => `[it](rulebook.md#${name.toLowerCase()})`;
    const files = { [CODE]: KNOWN, 'docs/a.md': `${anchor(KNOWN)}\n${anchor(UNKNOWN)}` };
    expect(found(section(KNOWN), files)).toEqual(['docs/a.md:2 rule-unknown']);
    const inside = section(KNOWN, `[gone](#${UNKNOWN.toLowerCase()})\n*Why:* a reason.`);
    expect(found(inside, { [CODE]: KNOWN })).toEqual([`${RULEBOOK_PATH}:5 rule-unknown`]);
  });

  test('parts of longer words and text in lockfiles are not citations', () => {
    const files = { [CODE]: `FOR-ever ${KNOWN}`, 'package-lock.json': `{"a": "x/${UNKNOWN}"}` };
    expect(found(section(KNOWN), files)).toEqual([]);
  });
});
