import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULES_VERSION } from '@oddlot/engine';
import { API_VERSION, ERROR_CODES } from '@oddlot/protocol';
import { releasesIn } from '../scripts/changelog.ts';
import { REPOSITORY } from './support/venue-process.ts';

/** Compares the upgrade policies and the configuration of editors and machines with the code. */

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

describe('docs/upgrade-policy.md agrees with the releases', () => {
  const text = read('docs/upgrade-policy.md');
  const rows = [...text.matchAll(/^\| (\d+\.\d+\.\d+) \| (\d+) \| ([\d., ]+) \|$/gm)].map(
    ([, release = '', rules = '', opens = '']) => ({
      release,
      rules: Number(rules),
      opens: opens.split(', '),
    }),
  );

  test("the upgrade policy has a row for every release, including this tree's", () => {
    const released = releasesIn(read('CHANGELOG.md')).map((each) => each.version);
    const all = released.includes(version) ? released : [version, ...released];
    expect(rows.map(({ release }) => release)).toEqual(all.toReversed());
  });

  const previous = rows.at(-2)!;

  test("the newest release opens the previous release's folders", () => {
    expect(rows.at(-1)).toMatchObject({ rules: RULES_VERSION, opens: [previous.release, version] });
  });

  test("this tree includes only the previous release's engine", () => {
    const names = readdirSync(join(REPOSITORY, 'packages/replica/eras'));
    expect(previous.rules).toBe(RULES_VERSION - 1);
    expect(names.filter((name) => /^rules-\d+\.js$/.test(name))).toEqual([
      `rules-${previous.rules}.js`,
    ]);
  });

  test('fixtures from the previous release exist', () => {
    const name = `tests/fixtures/release-${previous.release}/meta.json`;
    expect(JSON.parse(read(name))).toMatchObject({ release: previous.release });
  });

  test('the upgrade policy gives the date of the API version and the error code for any other version', () => {
    expect(text).toContain(`supported a single version, \`${API_VERSION}\``);
    expect(text).toContain(`with code ${ERROR_CODES.VERSION} (\`VERSION\`)`);
  });
});

test('the README names the current release', () => {
  expect(read('README.md')).toContain(`\n## Status\n\nThe current version is ${version}. `);
});

test("the SDK guide installs this release's tarball", () => {
  expect(read('docs/build/sdk.md')).toContain(`oddlot-sdk-${version}.tgz`);
});

test('.editorconfig agrees with the formatter', () => {
  const config = read('.editorconfig');
  const { printWidth, tabWidth, useTabs } = JSON.parse(read('.oxfmtrc.json')) as {
    readonly printWidth: number;
    readonly tabWidth: number;
    readonly useTabs: boolean;
  };
  const [, everything = ''] = config.split('[*]');
  expect(everything).toContain(`\nindent_size = ${tabWidth}\n`);
  expect(everything).toContain(`\nindent_style = ${useTabs ? 'tab' : 'space'}\n`);
  expect(everything).toContain(`\nmax_line_length = ${printWidth}\n`);
});

test('the workflow runs .ci/run on both architectures, without write permissions', () => {
  const workflow = read('.github/workflows/ci.yml');
  const steps = [...workflow.matchAll(/^ +- (run|uses): (.+)$/gm)].map((match) => match[2]);
  expect(steps.at(-1)).toBe('.ci/run');
  expect(workflow).toMatch(/machine: x64\n.*\n.*machine: arm64/);
  expect(workflow).toContain('\npermissions:\n  contents: read\n');
});

test('every path in the code owners file exists', () => {
  const paths = [...read('.github/CODEOWNERS').matchAll(/^\/(\S+)/gm)].map((match) => match[1]!);
  expect(paths.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
});

test("the development container forwards a local venue's ports", () => {
  const { forwardPorts, image } = JSON.parse(read('.devcontainer/devcontainer.json')) as {
    readonly forwardPorts: readonly number[];
    readonly image: string;
  };
  expect(forwardPorts).toEqual([0, 1, 2, 3, 4].map((offset) => 8690 + offset));
  // The image is the same as in the workflow.
  expect(read('.github/workflows/ci.yml')).toContain(`container: ${image}\n`);
});
