import { expect, test } from 'vitest';
import { threadsPlugin } from './threads-plugin.ts';

test('transformed code that names the thread files of one run is not cached for other runs', () => {
  const generators: ((file: { readonly sourceCode: string }) => unknown)[] = [];
  const context = { defineCacheKeyGenerator: (each: never) => generators.push(each) };
  const { configureVitest } = threadsPlugin();
  if (typeof configureVitest !== 'function') throw new Error('the plugin sets no cache key');
  configureVitest(context as unknown as Parameters<typeof configureVitest>[0]);
  const before = process.env['ODDLOT_TEST_PROGRAMS'];
  const keysIn = (folder: string, sourceCode: string) => {
    process.env['ODDLOT_TEST_PROGRAMS'] = folder;
    return generators.map((keyOf) => keyOf({ sourceCode }));
  };
  const starter = `new Worker(new URL('./indexer-worker.ts', import.meta.url))`;
  try {
    expect(keysIn('/a', starter)).not.toEqual(keysIn('/b', starter));
    expect(keysIn('/a', 'export {};')).toEqual(keysIn('/b', 'export {};'));
  } finally {
    process.env['ODDLOT_TEST_PROGRAMS'] = before;
  }
});
