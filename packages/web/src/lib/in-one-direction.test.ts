import { expect, test } from 'vitest';
import { addWords, inOneDirection, words } from './words.ts';

test('a name cannot change the direction of the text next to it', () => {
  expect(inOneDirection('\u202Eyan 59¢')).toBe('yan 59¢');
  expect(inOneDirection('a\u2066b\u2069c\u200Fd\u061Ce')).toBe('abcde');
});

test('right-to-left text is unchanged', () => {
  expect(inOneDirection('مصر לא')).toBe('مصر לא');
});

test('a name within a sentence cannot change the direction of the sentence', () => {
  addWords({ tried: 'Buy {{name}} at 59¢' });
  expect(words.t('tried' as never, { name: '\u202Eyan <b>&' } as never)).toBe(
    'Buy yan <b>& at 59¢',
  );
});
