import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  cents,
  probability,
  clockTime,
  compact,
  countdown,
  money,
  number,
  percent,
  relative,
  short,
} from './format.ts';
import { chooseLocale } from './languages.ts';
import { fieldText, typedNumber } from './typed-text.ts';

beforeAll(() => chooseLocale('en-US'));
afterAll(() => chooseLocale(undefined));

describe('numbers are formatted for display', () => {
  test.each([
    ['grouped, with all decimals', number('1234567.125'), '1,234,567.125'],
    ['the decimals of the grid', number('96926.5', { decimals: 2 }), '96,926.50'],
    [
      'more digits than a float',
      number('12345678901234567890.123'),
      '12,345,678,901,234,567,890.123',
    ],
    ['a real minus sign', number('-3.5'), '\u22123.5'],
    ['an optional plus sign', number('3.5', { isSigned: true }), '+3.5'],
    ['no sign on zero', number('0', { isSigned: true }), '0'],
    ['nothing yet', number(undefined), '–'],
    ['an empty value', number(''), '–'],
    ['money to the cent', money('1042.184'), '1,042.18'],
    ['less than a cent is not zero', money('0.000001'), '<0.01'],
    ['a loss of less than a cent has its first digit', money('-0.0042'), '−0.004'],
    [
      'a gain of less than a cent has its first digit',
      money('0.0042', { isSigned: true }),
      '+0.004',
    ],
    ['half a cent is rounded up', money('0.005'), '0.01'],
    ['money rounds halves away from zero', money('2.345'), '2.35'],
    ['a fraction in percent', percent('0.0184', { isSigned: true }), '+1.84%'],
    ['funding', percent('0.0000125', { decimals: 5 }), '0.00125%'],
    ['a chance', probability('0.463'), '46%'],
    ['0% only for exact values', probability('0.001'), '<1%'],
    ['100% only for exact values', probability('0.999'), '>99%'],
    ['an exact 100%', probability('1'), '100%'],
    ['a price of a leg', cents('0.463'), '46.3¢'],
    ['compact', compact('184200000'), '184.2\u202fM'],
    ['a round value, compact', compact('2000'), '2.0\u202fK'],
    ['a small value, compact', compact('68.2'), '68.2'],
    ['below a thousand', compact('999.94'), '999.9'],
    ['a thousand after rounding', compact('999.96'), '1.0\u202fK'],
    ['a million after rounding', compact('999960'), '1.0\u202fM'],
    ['below a million', compact('999940'), '999.9\u202fK'],
    ['a loss, compact', compact('-348507.2'), '\u2212348.5\u202fK'],
    ['above billions', compact('5500000000000'), '5.5\u202fT'],
    ['an address', short('0x3ddf6345b552870f36ae1eb1f4eeee0895e57f98'), '0x3ddf…7f98'],
  ])('a number is formatted for this case: %s', (_, found, expected) => {
    expect(found).toBe(expected);
  });

  test('numbers use the grouping of a different locale but the same minus sign', () => {
    chooseLocale('de-DE');
    expect(number('-1234.5', { decimals: 2 })).toBe('\u22121.234,50');
    expect(percent('-0.0184')).toBe('\u22121,84\u202f%');
    expect(probability('0.999')).toBe('>\u202f99\u202f%');
    chooseLocale('en-US');
  });

  test.each([
    ['de-DE', '348507.2', '348,5\u202fK', '348.507,20'],
    ['de-DE', '3008.6', '3,0\u202fK', '3.008,60'],
    ['es-ES', '3008.6', '3,0\u202fK', '3.008,60'],
    ['pl-PL', '3008.6', '3,0\u202fK', '3\u00a0008,60'],
    ['en-IN', '1234567.5', '1.2\u202fM', '12,34,567.50'],
    ['ja-JP', '348507.2', '348.5\u202fK', '348,507.20'],
    ['ar-EG', '348507.2', '348.5\u202fK', '348,507.20'],
    ['fa-IR', '348507.2', '348.5\u202fK', '348,507.20'],
    ['hi-IN', '348507.2', '348.5\u202fK', '3,48,507.20'],
    ['bn-BD', '348507.2', '348.5\u202fK', '3,48,507.20'],
  ])(
    'in the locale %s the number %s is %s in compact form and %s in full, in Latin digits',
    (tag, text, glance, whole) => {
      chooseLocale(tag);
      expect(compact(text)).toBe(glance);
      expect(number(text, { decimals: 2 })).toBe(whole);
      // Displayed values can be pasted into an input field.
      expect(typedNumber(number(text))).toBe(text);
      expect(typedNumber(fieldText(text))).toBe(text);
      chooseLocale('en-US');
    },
  );

  test('an invalid locale does not affect the format of numbers', () => {
    chooseLocale('en-US@posix');
    expect(number('1234.5')).toBe('1,234.5');
    chooseLocale('en-US');
  });
});

describe('times are formatted for display', () => {
  test("times use Latin digits and the words of the page's language", () => {
    chooseLocale('ar-EG');
    expect(clockTime(Date.UTC(2026, 10, 16, 12))).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(relative(2_460_000)).toBe('in 41 min.');
    chooseLocale('en-US');
  });

  test.each([
    [countdown(1_421_999), '23:41'],
    [countdown(3_723_000), '1:02:03'],
    [countdown(273_600_000), '3d 04:00'],
    [countdown(-5), '00:00'],
    [relative(2_460_000), 'in 41 min.'],
    [relative(-7_200_000), '2 hr. ago'],
  ])('a time is formatted as %s', (found, expected) => {
    expect(found).toBe(expected);
  });
});
