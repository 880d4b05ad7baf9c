import { expect, test } from 'vitest';
import { addWords, inOneDirection, words } from './words.ts';

test('a name can not turn what stands beside it', () => {
  expect(inOneDirection('\u202Eyan 59¢')).toBe('yan 59¢');
  expect(inOneDirection('a\u2066b\u2069c\u200Fd\u061Ce')).toBe('abcde');
});

test('what is written from right to left stays as it is', () => {
  expect(inOneDirection('مصر לא')).toBe('مصر לא');
});

test('names within sentences neither', () => {
  addWords({ tried: 'Buy {{name}} at 59¢' });
  expect(words.t('tried' as never, { name: '\u202Eyan <b>&' } as never)).toBe(
    'Buy yan <b>& at 59¢',
  );
});
