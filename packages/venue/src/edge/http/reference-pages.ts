import type { ServerResponse } from 'node:http';
import { readdir, readFile } from 'node:fs/promises';

/** The reference beside the sources: what `details.docs` of a refusal points to. */
const REFERENCE = new URL('../../../../../docs/reference/', import.meta.url);

/** `/docs/errors` and its neighbours; empty when the venue runs without its documents. */
export async function readReferencePages(): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(REFERENCE).catch(() => []);
  const pages = new Map<string, string>();
  for (const name of names) {
    if (!name.endsWith('.md')) continue;
    const text = await readFile(new URL(name, REFERENCE), 'utf8');
    pages.set(`/docs/${name.slice(0, -'.md'.length)}`, text);
  }
  return pages;
}

export function servePage(response: ServerResponse, page: string): void {
  response.writeHead(200, {
    'content-type': 'text/markdown; charset=utf-8',
    'content-length': Buffer.byteLength(page),
  });
  response.end(page);
}
