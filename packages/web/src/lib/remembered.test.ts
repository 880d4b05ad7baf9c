import { expect, test } from 'vitest';
import { remembered } from '../features/perps/book/book-panel.tsx';

test('a text is computed once and stays cached until many other texts have been requested', () => {
  let written = 0;
  const write = remembered((text) => {
    written += 1;
    return `<${text}>`;
  });
  expect([write('1'), write('1'), write('2')]).toEqual(['<1>', '<1>', '<2>']);
  expect(written).toBe(2);
  for (let text = 3; text < 600; text++) expect(write(String(text))).toBe(`<${text}>`);
  expect(written).toBe(599);
  expect(write('1')).toBe('<1>');
  expect(written).toBe(600);
});
