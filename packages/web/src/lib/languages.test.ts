import { describe, expect, test } from 'vitest';
import de from '../words/de.json' with { type: 'json' };
import en from '../words/en.json' with { type: 'json' };
import { firstKnown } from './languages.ts';

type Texts = { readonly [name: string]: string | Texts };

function flat(texts: Texts, path = ''): readonly (readonly [key: string, text: string])[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'string' ? [[`${path}${name}`, text] as const] : flat(text, `${path}${name}.`),
  );
}

const gaps = (text: string): string => (text.match(/\{\{\w+\}\}/g) ?? []).toSorted().join(' ');

describe('the German translation is complete', () => {
  const own = new Map(flat(de));

  test('the German translation has exactly the keys of the English texts', () => {
    expect([...own.keys()].toSorted()).toEqual(
      flat(en)
        .map(([key]) => key)
        .toSorted(),
    );
  });

  test('the German translation has the same placeholders and no empty text', () => {
    const other = flat(en).filter(([key, text]) => gaps(text) !== gaps(own.get(key)!));
    expect(other.map(([key]) => key)).toEqual([]);
    expect([...own].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  test('the German translation covers every sentence', () => {
    const words = flat(en).filter(([key, text]) => {
      const spelled = text.replaceAll(/\{\{\w+\}\}/g, '').match(/[a-z]{2,}/gi) ?? [];
      return spelled.length > 2 && own.get(key) === text;
    });
    expect(words.map(([key]) => key)).toEqual([]);
  });
});

describe("the language is selected from the browser's languages", () => {
  test.each([
    [['de-CH', 'en'], 'de'],
    [['fr-FR', 'de', 'en'], 'de'],
    [['DE'], 'de'],
    [['fr'], 'en'],
    [['den'], 'en'],
    [[''], 'en'],
    [[], 'en'],
  ])('for the browser languages %j the page selects %s', (wanted, expected) => {
    expect(firstKnown(wanted)).toBe(expected);
  });
});
