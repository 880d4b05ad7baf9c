import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerFields } from './support/answer-fields.ts';

/** Goal: the pages docs/reference/info-*.md list every field of every answer, and no others. */

const REFERENCE = join(import.meta.dirname, '..', 'docs', 'reference');
const page = (name: string): string => readFileSync(join(REFERENCE, name), 'utf8');
const INFO = readdirSync(REFERENCE)
  .filter((name) => /^info-.*\.md$/.test(name))
  .map(page)
  .join('\n');
const ANSWERS = answerFields();

/** Returns the text below a query's heading, up to the next heading. */
function sectionOf(query: string): string {
  return INFO.split(/^#{2,3} /m).find((each) => each.startsWith(`${query}\n`)) ?? '';
}

/** Returns the names in backquotes, and each part of `{a, b}`, `a.b` and `[x, y]`. */
function namesIn(text: string): ReadonlySet<string> {
  const prose = text.replaceAll(/```[^]*?```/g, '');
  const quoted = [...prose.matchAll(/`([^`]+)`/g)].map(([, each]) => each!);
  return new Set(quoted.flatMap((each) => each.match(/[A-Za-z_]\w*/g) ?? []));
}

/** Queries whose answers include rejections and replies, which are described on other pages. */
const WITH_REPLIES: readonly string[] = ['actionStatus', 'simulate', 'tx'];

/** Returns the text of linked sections about rows of the same form, rejections and replies. */
function linkedText(query: string, section: string): string {
  const anchors = [...section.matchAll(/\]\((?:info-\w+\.md)?#(\w+)\)/g)].map(
    ([, anchor]) => anchor!,
  );
  const queries = [...ANSWERS.keys()].filter((each) => anchors.includes(each.toLowerCase()));
  const pages = WITH_REPLIES.includes(query) ? ['errors.md', 'exchange.md'] : [];
  for (const each of pages) expect(section).toContain(`](${each}`);
  return [...queries.map(sectionOf), ...pages.map(page)].join('\n');
}

test.each([...ANSWERS])('%s: the reference names every field of the answer', (query, fields) => {
  const section = sectionOf(query);
  expect(section, 'a heading').not.toBe('');
  const named = namesIn(`${section}\n${linkedText(query, section)}`);
  expect([...fields].filter((field) => !named.has(field))).toEqual([]);
});

/** Returns the names in the first column of the field tables. */
function documentedFields(section: string): string[] {
  const tables = section
    .split(/\n(?=\| )/)
    .join('\n')
    .split(/\n\n/);
  return tables
    .filter((each) => each.startsWith('| Field'))
    .flatMap((table) => table.split('\n').slice(2))
    .flatMap((row) => [...namesIn(row.split('|')[1] ?? '')]);
}

test.each([...ANSWERS])('%s: the reference tables name no other field', (query, fields) => {
  expect(documentedFields(sectionOf(query)).filter((field) => !fields.has(field))).toEqual([]);
});
