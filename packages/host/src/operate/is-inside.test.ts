import { expect, test } from 'vitest';
import { isInside } from './data-folder.ts';

test.each([
  ['/data', '/data', true],
  ['/data/', '/data', true],
  ['/data/keys/one', '/data', true],
  ['/data/..key', '/data', true],
  ['/data/keys/../../etc', '/data', false],
  ['/data-of-others/key', '/data', false],
  ['/', '/data', false],
  ['data/key', 'data', true],
  ['key', 'data', false],
])('isInside compares the path %s with the folder %s: %s', (path, folder, isSo) => {
  expect(isInside(path, folder)).toBe(isSo);
});
