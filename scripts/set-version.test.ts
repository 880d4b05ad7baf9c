import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VERSION } from '@oddlot/sdk';
import { setVersion, versionsIn } from './set-version.ts';

const ROOT = join(import.meta.dirname, '..');

/** The version of package.json, which the venue reports. */
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
};

test('all packages, the lockfile and the SDK have the same version', () => {
  const others = versionsIn(ROOT).filter((found) => found.version !== version);
  expect(others, `run npm run set-version -- ${version}`).toEqual([]);
  expect(VERSION).toBe(version);
});

test('the version check covers every package and its dependencies on other packages', () => {
  const places = versionsIn(ROOT).map(({ place }) => place);
  for (const name of readdirSync(join(ROOT, 'packages'))) {
    expect(places).toContain(`packages/${name}/package.json`);
    expect(places).toContain(`package-lock.json packages/${name}`);
  }
  expect(places).toContain('tests/support/package.json');
  expect(places).toContain('package-lock.json tests/support');
  expect(places).toContain('packages/sdk/package.json: @oddlot/protocol');
  expect(places).toContain('package-lock.json packages/sdk: @oddlot/protocol');
});

test('setting a version changes it everywhere and changes nothing else', () => {
  const copy = mkdtempSync(join(tmpdir(), 'oddlot-version-'));
  try {
    const paths = [
      'package-lock.json',
      'package.json',
      'tests/support/package.json',
      'packages/sdk/src/version.ts',
      'python/pyproject.toml',
      'docs/reference/openapi.json',
      'docs/reference/asyncapi.json',
    ];
    const names = readdirSync(join(ROOT, 'packages'));
    paths.push(...names.map((name) => `packages/${name}/package.json`));
    for (const path of paths) cpSync(join(ROOT, path), join(copy, path));
    const before = paths.map((path) => readFileSync(join(copy, path), 'utf8'));
    setVersion(copy, '97.98.99');
    expect(new Set(versionsIn(copy).map((found) => found.version))).toEqual(new Set(['97.98.99']));
    setVersion(copy, version);
    expect(paths.map((path) => readFileSync(join(copy, path), 'utf8'))).toEqual(before);
    expect(() => setVersion(copy, 'v1')).toThrow('Invalid version');
  } finally {
    rmSync(copy, { recursive: true });
  }
});
