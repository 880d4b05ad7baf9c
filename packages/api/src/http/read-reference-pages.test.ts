import { expect, test } from 'vitest';
import { readReferencePages } from './read-reference-pages.ts';

test('/docs lists every page of the reference by its title', async () => {
  const pages = await readReferencePages();
  const index = pages.get('/docs');
  expect(pages.get('/docs/')).toBe(index);
  const paths = [...pages.keys()].filter((path) => path.startsWith('/docs/') && path !== '/docs/');
  expect(paths).toContain('/docs/errors');
  for (const path of paths) expect(index).toContain(`](${path})`);
});
