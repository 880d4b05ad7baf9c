import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ShownPage } from '@oddlot/host/http';
import { contentHash, type PageFile } from './page-files.ts';
import { fileAnswer } from './web-page.ts';

/** Folder of the API reference. Refusals link to its pages in `details.docs`. */
const REFERENCE = new URL('../../../../docs/reference/', import.meta.url);

const TYPES = {
  markdown: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
} as const;

type Documents = ShownPage & { readonly paths: readonly string[] };

/**
 * Loads the documents to serve: the pages of the reference, such as `/docs/errors`, and the
 * descriptions for programs (`/openapi.json`, `/asyncapi.json` and `/llms.txt`). Returns no
 * documents if the venue is installed without them.
 */
export async function openDocuments(): Promise<Documents> {
  const names = (await readdir(REFERENCE).catch(() => [])).toSorted();
  const texts = new Map<string, string>();
  const files = new Map<string, PageFile>();
  const add = async (path: string, text: string, type: keyof typeof TYPES): Promise<void> => {
    const plain = Buffer.from(text);
    const packed = await promisify(gzip)(plain);
    files.set(path, {
      type: TYPES[type],
      isHashed: false,
      hash: contentHash(text),
      plain,
      br: undefined,
      gzip: packed,
    });
  };
  for (const name of names) {
    const text = await readFile(new URL(name, REFERENCE), 'utf8');
    // The files in the repository are formatted for reading, so the whitespace is removed.
    if (name.endsWith('.json')) await add(`/${name}`, JSON.stringify(JSON.parse(text)), 'json');
    if (!name.endsWith('.md')) continue;
    const path = `/docs/${name.slice(0, -'.md'.length)}`;
    texts.set(path, text);
    await add(path, text, 'markdown');
  }
  if (texts.size > 0) {
    const index = `# Reference\n\n${linksTo(texts).join('\n')}\n`;
    await add('/docs', index, 'markdown');
    await add('/docs/', index, 'markdown');
    await add('/llms.txt', llmsText(texts), 'text');
  }
  return {
    paths: [...files.keys()],
    answer: (request, path) => {
      const file = files.get(path);
      if (file === undefined) return undefined;
      const answer = fileAnswer(request, file);
      return { ...answer, headers: { ...answer.headers, 'access-control-allow-origin': '*' } };
    },
  };
}

function linksTo(texts: ReadonlyMap<string, string>): string[] {
  return [...texts]
    .map(([path, text]) => `- [${/^# (.+)$/m.exec(text)?.[1] ?? path}](${path})`)
    .toSorted();
}

/** Builds the index for language models in the format of llmstxt.org. */
function llmsText(texts: ReadonlyMap<string, string>): string {
  return `# Oddlot

> A trading venue for perpetual futures and outcome markets. Signed actions are sent to POST /exchange, queries to
> POST /info, and streams are on /ws, /api-ws and /ws-rtds. Amounts and prices are decimal strings.

## Reference

${linksTo(texts).join('\n')}

## Descriptions for programs

- [OpenAPI 3.1](/openapi.json): the HTTP endpoints
- [AsyncAPI 3](/asyncapi.json): the WebSocket streams
`;
}
