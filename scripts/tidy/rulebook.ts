import { lineAt, type Finding, type SourceFile } from './source.ts';

/**
 * Checks that the rulebook and the code agree. Every cited rule must exist, every rule must have a
 * reason, and every rule must be cited by code or tests or be marked as not built.
 */

export const RULEBOOK_PATH = 'docs/rulebook.md';

/** Matches the cited name of a rule, but not the end of a longer word. */
const CITATION = /(?<![\w-])R-[a-z]+(?:-[a-z]+)*/g;
/** Matches a link to a rule, from another page or from within the rulebook. */
const ANCHOR = /\]\((?:[\w./-]*rulebook\.md)?#(r-[a-z-]+)\)/g;
const HEADING = /^### (R-[a-z]+(?:-[a-z]+)*)$/gm;
/** Marks a rule that is not implemented. The mark must be removed once the rule is cited. */
const NOT_BUILT = '\n*Not built yet:* ';
/** Matches code and tests. Pages may also cite a rule, but do not implement it. */
const KEEPER = /^(?:packages|tests|scripts|bench)\/.*(?<!\.md)$/;
/** The lockfile is generated, and its hashes can contain the pattern by chance. */
const GENERATED = /(?:^|\/)package-lock\.json$/;

export function checkRulebook(files: readonly SourceFile[]): Finding[] {
  const rulebook = files.find(({ path }) => path === RULEBOOK_PATH);
  const headings = [...(rulebook?.text ?? '').matchAll(HEADING)];
  const names = new Set(headings.map((match) => match[1] ?? ''));
  const anchors = new Set([...names].map((name) => name.toLowerCase()));
  const implemented = new Set<string>();
  const findings: Finding[] = [];
  for (const file of files) {
    if (GENERATED.test(file.path)) continue;
    const report = (at: number, name: string): void => {
      const message = `"${name}" has no heading in ${RULEBOOK_PATH}; correct the name or write the rule`;
      findings.push({
        path: file.path,
        line: lineAt(file.text, at),
        rule: 'rule-unknown',
        message,
      });
    };
    for (const match of file.text.matchAll(CITATION)) {
      if (!names.has(match[0])) report(match.index, match[0]);
      else if (KEEPER.test(file.path)) implemented.add(match[0]);
    }
    if (!file.path.endsWith('.md')) continue;
    for (const match of file.text.matchAll(ANCHOR)) {
      if (!anchors.has(match[1] ?? '')) report(match.index, `#${match[1]}`);
    }
  }
  return rulebook === undefined
    ? findings
    : [...findings, ...checkHeadings(rulebook, headings, implemented)];
}

function checkHeadings(
  rulebook: SourceFile,
  headings: readonly RegExpExecArray[],
  implemented: ReadonlySet<string>,
): Finding[] {
  const seen = new Set<string>();
  return headings.flatMap((match, index) => {
    const name = match[1] ?? '';
    const line = lineAt(rulebook.text, match.index);
    const found: Finding[] = [];
    const report = (rule: string, message: string): void => {
      found.push({ path: RULEBOOK_PATH, line, rule, message: `"${name}" ${message}` });
    };
    if (seen.has(name)) report('rule-twice', 'already has a heading; join the two');
    seen.add(name);
    const text = rulebook.text.slice(match.index, headings[index + 1]?.index);
    const isAhead = text.includes(NOT_BUILT);
    if (!implemented.has(name) && !isAhead) {
      report(
        'rule-uncited',
        `is not cited by a source or a test; cite it, or write "${NOT_BUILT.trim()} …"`,
      );
    }
    if (implemented.has(name) && isAhead) {
      report('rule-built', `is cited; remove its line "${NOT_BUILT.trim()} …"`);
    }
    if (!text.includes('\n*Why:* '))
      report('rule-reason', 'gives no reason; add a line "*Why:* …"');
    return found;
  });
}
