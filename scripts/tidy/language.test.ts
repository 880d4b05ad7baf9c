import { describe, expect, test } from 'vitest';
import { checkLanguage } from './language.ts';
import { toSource } from './source.ts';

function check(path: string, text: string): string[] {
  const file = { path, text };
  return checkLanguage(file, path.endsWith('.md') ? undefined : toSource(file)).map(
    ({ line, message, rule }) => `${line} ${rule} ${message.split(':')[0]}`,
  );
}

/** Examples of each phrase. `language.ts` does not check this file. */
const PHRASES: readonly (readonly [found: string, sentence: string, allowed: string])[] = [
  ['whoever', 'It belongs to #.', 'It belongs to the owner.'],
  ['What', '# was sent is kept.', 'What does it cost?'],
  ['is no', 'It # address.', 'There is no limit, and it is no longer used.'],
  ['goes on', 'The log #.', 'The log continues.'],
  ['of its own', 'It has a folder #.', 'It has its own folder.'],
  ['told', 'The client is #.', 'The client receives an error.'],
  ['nobody', 'It asks #.', 'No client asks.'],
  ['stands', 'The key # in a file.', 'R stands for rule.'],
  ['door', 'The # of a package.', 'The entry point of a package.'],
  ['floor', 'A lower #.', 'The nonce floor is set.'],
  ['room', 'Another #.', 'There is room for one more.'],
  ['mended', 'It was #.', 'It was fixed.'],
  ['beside', 'The test # it.', 'The test next to it.'],
  ['else', 'It is false #.', 'Otherwise it is false.'],
  ['is over', 'The hour #.', 'The value is over 5.'],
];

describe.each(PHRASES)('the phrase "%s"', (phrase, sentence, allowed) => {
  const text = sentence.replace('#', phrase);

  test('a forbidden phrase is reported in documents, comments, messages and titles, with its line', () => {
    expect(check('docs/a.md', `# A\n\n${text}\n`)).toEqual([`3 language "${phrase}"`]);
    expect(check('packages/a/src/a.ts', `\n/** ${text} */`)).toEqual([`2 language "${phrase}"`]);
    expect(check('packages/a/src/a.ts', `\nlog('ab cd ef. ${text}');`)).toEqual([
      `2 language "${phrase}"`,
    ]);
    expect(check('tests/a.test.ts', `\ntest('ab cd ef. ${text}');`)).toEqual([
      `2 language "${phrase}"`,
    ]);
  });

  test('a forbidden phrase is accepted where it is natural English', () => {
    expect(check('docs/a.md', allowed)).toEqual([]);
  });
});

test('code, code spans, fenced code and link targets are not checked as prose', () => {
  const word = 'nobody';
  expect(check('docs/a.md', `\`${word}\` [a](${word}.md)\n\n\`\`\`\n${word}\n\`\`\`\n`)).toEqual(
    [],
  );
  expect(check('packages/a/src/a.ts', `const ${word} = ['${word}'];`)).toEqual([]);
});

test('texts of the page are checked, but their keys are not', () => {
  const word = 'nobody';
  const path = 'packages/web/src/words/en.json';
  expect(check(path, `{\n  "${word}": "No one"\n}`)).toEqual([]);
  expect(check(path, `{\n  "a": "Ask ${word}"\n}`)).toEqual([`2 language "${word}"`]);
});
