import { contentHash, type PageFiles, type Screen } from './page-files.ts';

/** The entry for one address: with the scripts of its screen named, so that a browser asks for all at once. */
export type Entry = { readonly text: string; readonly hash: string };

/** Finds the entry for an address; each is made once. */
export function createEntries({ entry, screens }: PageFiles): (path: string) => Entry {
  const plain = entryOf(entry, []);
  const made = screens.map((screen) => ({ screen, entry: entryOf(entry, screen.scripts) }));
  return (path) => made.find(({ screen }) => isAt(screen, path))?.entry ?? plain;
}

function entryOf(entry: string, scripts: readonly string[]): Entry {
  const links = scripts.map((path) => `<link rel="modulepreload" crossorigin href="${path}">\n`);
  const text = entry.replace('</head>', () => `${links.join('')}</head>`);
  return { text, hash: contentHash(text) };
}

function isAt({ path: pattern }: Screen, path: string): boolean {
  const [wanted, parts] = [pattern.split('/'), path.replace(/(?<=.)\/$/, '').split('/')];
  if (wanted.length !== parts.length) return false;
  return wanted.every((part, at) => part.startsWith('$') || part === parts[at]);
}
