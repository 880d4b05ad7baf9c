import { readdir, readFile } from 'node:fs/promises';

/** Folder of the API reference. The `details.docs` of a refusal is the path of one of its pages. */
const REFERENCE = new URL('../../../../docs/reference/', import.meta.url);

/**
 * Reads the pages by path, such as `/docs/errors`. The result is empty if the venue is installed
 * without its documents.
 */
export async function readReferencePages(): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(REFERENCE).catch(() => []);
  const pages = new Map<string, string>();
  for (const name of names) {
    if (!name.endsWith('.md')) continue;
    const text = await readFile(new URL(name, REFERENCE), 'utf8');
    pages.set(`/docs/${name.slice(0, -'.md'.length)}`, text);
  }
  if (pages.size === 0) return pages;
  const index = indexOf(pages);
  return pages.set('/docs', index).set('/docs/', index);
}

/** Lists all pages by their titles. */
function indexOf(pages: ReadonlyMap<string, string>): string {
  const lines = [...pages]
    .map(([path, text]) => `- [${/^# (.+)$/m.exec(text)?.[1] ?? path}](${path})`)
    .toSorted();
  return `# Reference\n\n${lines.join('\n')}\n`;
}
