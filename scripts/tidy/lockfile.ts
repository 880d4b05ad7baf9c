import { lineAt, type Finding, type SourceFile } from './source.ts';

const LOCKFILE = 'package-lock.json';

/** The sha512 form that registries publish, with the base64 length of 64 bytes. */
const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;

type Entry = { readonly integrity?: unknown; readonly link?: unknown };

/**
 * Requires a hash for every installed package in the lockfile, because npm does not verify a
 * package that has none.
 */
export function checkLockfile({ path, text }: SourceFile): Finding[] {
  if (path !== LOCKFILE) return [];
  const { packages = {} } = JSON.parse(text) as {
    readonly packages?: Readonly<Record<string, Entry>>;
  };
  return Object.entries(packages).flatMap(([place, { integrity, link }]) => {
    // All other entries are workspaces of this repository: their folders, or links to them.
    if (!place.includes('node_modules/') || link === true) return [];
    if (typeof integrity === 'string' && INTEGRITY.test(integrity)) return [];
    const message = `${place} has no integrity (sha512); docs/dependency-policy.md says how to add it`;
    return [{ path, line: lineAt(text, text.indexOf(`"${place}"`)), rule: 'integrity', message }];
  });
}
