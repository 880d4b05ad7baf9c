import { afterEach, describe, expect, test } from 'vitest';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';
import { openDocuments } from './documents.ts';

const edges: TestEdge[] = [];
afterEach(() => Promise.all(edges.splice(0).map((edge) => edge.close())));

async function serve() {
  const documents = await openDocuments();
  const edge = await startEdge({ edge: { documents } });
  edges.push(edge);
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${edge.port}${path}`, { headers });
  return { documents, get };
}

describe('the served documents', () => {
  test('/docs lists every page of the API reference by its title', async () => {
    const { documents, get } = await serve();
    const index = await (await get('/docs')).text();
    expect(await (await get('/docs/')).text()).toBe(index);
    const pages = documents.paths.filter((path) => /^\/docs\/./.test(path));
    expect(pages).toContain('/docs/errors');
    for (const path of pages) expect(index).toContain(`](${path})`);
  });

  test.each([
    ['/openapi.json', 'openapi', '3.1.0'],
    ['/asyncapi.json', 'asyncapi', '3.0.0'],
  ])('%s is JSON that pages of any origin can read', async (path, key, version) => {
    const { get } = await serve();
    const response = await get(path, { origin: 'https://tools.example' });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({ [key]: version });
  });

  test('/llms.txt links to every page of the reference and to both descriptions', async () => {
    const { documents, get } = await serve();
    const text = await (await get('/llms.txt')).text();
    const linked = documents.paths.filter(
      (path) => !['/docs', '/docs/', '/llms.txt'].includes(path),
    );
    expect(linked.length).toBeGreaterThan(10);
    for (const path of linked) expect(text).toContain(`](${path})`);
  });

  test('a client that has the current text of a document gets a 304', async () => {
    const { get } = await serve();
    const first = await get('/openapi.json');
    const tag = first.headers.get('etag')!;
    expect(tag).toMatch(/^".+"$/);
    const again = await get('/openapi.json', { 'if-none-match': tag });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
  });
});
