import { readdir, readFile } from 'node:fs/promises';

/** The reference of the API; `details.docs` of a refusal points to its pages. */
const REFERENCE = new URL('../../../../docs/reference/', import.meta.url);

/** The pages by path, such as `/docs/errors`; empty if the venue is installed without its documents. */
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

/** Lists all pages by title. */
function indexOf(pages: ReadonlyMap<string, string>): string {
  const lines = [...pages]
    .map(([path, text]) => `- [${/^# (.+)$/m.exec(text)?.[1] ?? path}](${path})`)
    .toSorted();
  return `# Reference\n\n${lines.join('\n')}\n`;
}
