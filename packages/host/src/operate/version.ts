import { readFileSync } from 'node:fs';

/** The release of this process, read from `package.json` at the root of the repository. */
export const VERSION: string = readVersion();

function readVersion(): string {
  const file = new URL('../../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  return version;
}
