import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../support/venue-process.ts';

type Manifest = { readonly allowScripts: Readonly<Record<string, boolean>> };
type Lockfile = {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
};

const read = (name: string): unknown => JSON.parse(readFileSync(join(REPOSITORY, name), 'utf8'));

test('every install script of a dependency is allowed by name, and no other', () => {
  const { packages } = read('package-lock.json') as Lockfile;
  const scripted = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(Object.keys((read('package.json') as Manifest).allowScripts)).toEqual(scripted);
});
