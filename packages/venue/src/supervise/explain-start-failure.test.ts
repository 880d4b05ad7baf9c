import { expect, test } from 'vitest';
import { explainStartFailure } from './explain-start-failure.ts';

const failed = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`${code}: it did not work`), { code, ...more });

test.each<[string, Error, RegExp]>([
  ['a folder of another user', failed('EACCES'), /no write permission there \(EACCES/],
  ['a read-only file system', failed('EROFS'), /file system is read-only/],
  ['a full disk', failed('ENOSPC'), /the disk is full/],
  [
    'receipts that cannot be written',
    new Error("the receipts can't be opened", {
      cause: failed('ERR_SQLITE_ERROR', { errcode: 1032 }),
    }),
    /no write permission there/,
  ],
  ['a port that is in use', failed('EADDRINUSE'), /^EADDRINUSE: it did not work$/],
])('%s is reported in one line', (_, error, text) => {
  const line = explainStartFailure(error, { data: '/data' });
  expect(line).toMatch(text);
  expect(line).not.toContain('\n');
});

test('an internal error on startup has no explanation', () => {
  expect(explainStartFailure(new Error('invariant'), { data: '/data' })).toBeUndefined();
  expect(explainStartFailure(failed('ERR_OTHER'), { data: '/data' })).toBeUndefined();
  expect(explainStartFailure('text', { data: '/data' })).toBeUndefined();
});
