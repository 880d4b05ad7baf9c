import { expect, test } from 'vitest';
import { mirroredTexts } from './mirrored-texts.ts';

test('every text is turned but for what stands in its gaps', () => {
  const texts = { one: 'Buy {{size}} now', two: { three: '{{amount}}', four: 'Sell' } };
  expect(mirroredTexts(texts)).toEqual({
    one: '\u202EBuy \u202C{{size}}\u202E now\u202C',
    two: { three: '{{amount}}', four: '\u202ESell\u202C' },
  });
});
