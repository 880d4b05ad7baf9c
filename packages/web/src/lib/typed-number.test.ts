import { describe, expect, test } from 'vitest';
import { fieldText, typedNumber } from './typed-text.ts';

describe('a number is parsed according to the locale of the page', () => {
  test.each([
    ['en-US', '97,174.6', '97174.6'],
    ['en-US', '97,000', '97000'],
    ['en-US', '1,234,567.89', '1234567.89'],
    ['de-DE', '97.174,6', '97174.6'],
    ['de-DE', '97.000', '97000'],
    ['de-DE', '0,5', '0.5'],
    ['fr-FR', '97 174,6', '97174.6'],
    ['fr-FR', '97\u202F174,6', '97174.6'],
    ['de-CH', '97’174.6', '97174.6'],
    ['ar-EG', '٩٧٬١٧٤٫٦', '97174.6'],
    ['en-IN', '12,34,567.5', '1234567.5'],
    ['en-IN', '97,174.6', '97174.6'],
    ['en-US', '−12.5', '-12.5'],
  ])('in the locale %s the input %s is read as %s', (tag, typed, meant) => {
    expect(typedNumber(typed, tag)).toBe(meant);
  });
});

describe('a character that cannot be a grouping separator is rejected', () => {
  test.each([
    ['en-US', '97,5', '97.5'],
    ['en-US', '0,125', '0.125'],
    ['de-DE', '97.5', '97.5'],
    ['de-DE', '97174.6', '97174.6'],
    ['de-DE', '0.014', '0.014'],
  ])(
    'a character that cannot be a grouping separator is a decimal one: in %s the text %s is %s',
    (tag, typed, meant) => {
      expect(typedNumber(typed, tag)).toBe(meant);
    },
  );
});

test.each([
  ['', ''],
  ['1.', '1'],
  ['.5', '0.5'],
  ['-.5', '-0.5'],
  ['.', '.'],
  ['-', '-'],
])('the text %s is accepted as an incomplete number', (typed, meant) => {
  expect(typedNumber(typed, 'en-US')).toBe(meant);
});

test.each([
  ['en-US', 'abc'],
  ['en-US', '1.2.3'],
  ['en-US', '97.174,6'],
  ['en-US', '1,2,3'],
  ['en-US', '12,34,567'],
  ['en-IN', '1,234,567'],
  ['de-DE', '97,174.6'],
  ['en-US', '1e5'],
  ['en-US', '0x10'],
])('in %s the text %s is not a number and is not converted to one', (tag, typed) => {
  expect(typedNumber(typed, tag)).toBeUndefined();
});

test.each(['en-US', 'de-DE', 'fr-FR', 'de-CH', 'ar-EG', 'hi-IN'])(
  'in %s a displayed value is parsed back unchanged',
  (tag) => {
    for (const value of ['', '1', '1.234', '97174.6', '0.014', '1234', '-0.5']) {
      expect(typedNumber(fieldText(value, tag), tag)).toBe(value);
    }
  },
);
