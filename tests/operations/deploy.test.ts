import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingsIn } from '../../packages/host/src/settings/index.ts';
import { readConfig } from '../../packages/venue/src/config.ts';
import { VENUE_SETTINGS } from '../../packages/venue/src/settings/venue-settings.ts';
import { readValidatorSettings } from '../../packages/custody/src/validator/validator-settings.ts';
import {
  FIXED_PRICE_FLAGS,
  removeTemporaryData,
  REPOSITORY,
  temporaryData,
  Venue,
} from '../support/venue-process.ts';

/** Compares the files in deploy/ and their guide with the programs. */

const read = (...path: string[]): string => readFileSync(join(REPOSITORY, ...path), 'utf8');
const GUIDE = read('docs', 'operate', 'monitoring.md');

afterAll(removeTemporaryData);

describe('the sample configuration is valid and complete', () => {
  const sample = read('deploy', 'oddlot.toml');
  const uncommented = sample.replaceAll(/^# (\w+ = )/gm, '$1');

  async function parsed(text: string) {
    const file = join(await temporaryData(), 'oddlot.toml');
    await writeFile(file, text);
    return readConfig(['--config', file], {});
  }

  test('the sample configuration is accepted unchanged and changes no default', async () => {
    expect(await parsed(sample)).toEqual(readConfig([], {}));
  });

  test('the sample configuration has each setting exactly once', () => {
    const keys = [...uncommented.matchAll(/^(\w+) = /gm)].map(([, key]) => key);
    expect(keys.toSorted()).toEqual(
      settingsIn(VENUE_SETTINGS)
        .map(([key]) => key)
        .toSorted(),
    );
  });

  test('the sample configuration is accepted with every line uncommented, and shows the defaults', async () => {
    // Chain settings are not allowed in a cluster, and the sample has both.
    const config = await parsed(uncommented.replaceAll(/^(?:log|cluster|chainKeys) = .*\n/gm, ''));
    const chain = 'http://127.0.0.1:8694';
    const elsewhere = uncommented.replace(/^chain = .*$/m, `chain = "${chain}"`);
    const replica = elsewhere.replaceAll(/^relay = .*\n/gm, '');
    expect(await parsed(replica)).toMatchObject({ cluster: 'main', chain });
    // The sample shows an example value for each setting that has no default.
    const examples = [
      'trustedProxies',
      'admins',
      'formerBridges',
      'validators',
      'validatorKeys',
      'natsMonitors',
    ];
    const plain = Object.entries(readConfig([], {})).filter(([key]) => !examples.includes(key));
    expect(plain.length).toBeGreaterThan(40);
    expect(config).toMatchObject({ ...Object.fromEntries(plain), recoverWorkers: 1 });
  });
});

describe('the service and the container match the programs', () => {
  test('the service and the container start a program that exists, with settings that exist', () => {
    const unit = read('deploy', 'systemd', 'oddlot.service');
    const [, program = '', flags = ''] = /^ExecStart=\S+ (?:--\S+ )*(\S+) (.*)$/m.exec(unit) ?? [];
    expect(existsSync(join(REPOSITORY, program))).toBe(true);
    const args = flags.replace('/etc/oddlot', join(REPOSITORY, 'deploy')).split(' ');
    const { data } = readConfig(args, {});
    expect(unit).toContain(`ReadWritePaths=${data}\n`);
  });

  test('a validator has its own service, with settings that exist', () => {
    const unit = read('deploy', 'systemd', 'oddlot-validator.service');
    const [, program = '', flags = ''] = /^ExecStart=\S+ (\S+) (.*)$/m.exec(unit) ?? [];
    expect(existsSync(join(REPOSITORY, program))).toBe(true);
    const [, , ...others] = flags.split(' ');
    const place = ['--key', 'env:KEY', '--chain-id', '1', '--bridge', `0x${'1'.repeat(40)}`];
    const names = ['--service-network', 'example.org-3fa9c1d2', '--relayer', `0x${'2'.repeat(40)}`];
    const venue = [...names, '--venues', 'http://venue'];
    const { data } = readValidatorSettings([...place, ...venue, ...others]);
    expect(unit).toContain(`ReadWritePaths=${data}\n`);
  });

  test('the service and the container store the data in the volume and query the operations port', () => {
    const dockerfile = read('deploy', 'docker', 'Dockerfile');
    const compose = read('deploy', 'docker', 'compose.yaml');
    const env = Object.fromEntries(
      [...dockerfile.matchAll(/(ODDLOT_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    const [, command = '[]'] = /command: (\[.*\])/.exec(compose) ?? [];
    const args = (JSON.parse(command.replaceAll("'", '"')) as string[]).map((each) =>
      each.replace('/etc/oddlot', join(REPOSITORY, 'deploy')),
    );
    const config = readConfig(args, env);
    expect(dockerfile).toContain(`VOLUME ${config.data}\n`);
    expect(dockerfile).toContain(`EXPOSE ${config.port}\n`);
    expect(dockerfile).toContain(`http://127.0.0.1:${config.port + 2}/readyz`);
    const [, program = ''] = /ENTRYPOINT \[".*", "(.*)"\]/.exec(dockerfile) ?? [];
    expect(existsSync(join(REPOSITORY, program))).toBe(true);
    // Only the public port is published.
    expect(
      [...compose.matchAll(/['"]127\.0\.0\.1:(\d+):\d+['"]/g)].map(([, port]) => port),
    ).toEqual([String(config.port), '9090']);
  });
});

describe('deployment files use only metrics that exist', () => {
  let venue: Venue;
  const documented = new Set<string>();

  beforeAll(async () => {
    venue = await Venue.start(FIXED_PRICE_FLAGS);
    await fetch(`${venue.url}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"type":"perpMeta"}',
    });
    const text = await (await fetch(`${venue.operations}/metrics`)).text();
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      documented.add(name);
      if (type !== 'histogram') continue;
      for (const suffix of ['_bucket', '_sum', '_count']) documented.add(name + suffix);
    }
  });
  afterAll(() => venue.remove());

  const named = (text: string): string[] => [
    ...new Set(text.match(/\b(?:oddlot|process|nodejs)_[a-z0-9_]*[a-z0-9]\b/g)),
  ];

  test.each([
    ['the alerts', ['deploy', 'prometheus', 'alerts.yml'], 15],
    ['the dashboard', ['deploy', 'grafana', 'oddlot.json'], 30],
    ['the guide', ['docs', 'operate', 'monitoring.md'], 25],
  ])('all metrics used in %s exist', (_, path, countMin) => {
    const names = named(read(...path));
    expect(names.length).toBeGreaterThanOrEqual(countMin);
    expect(names.filter((name) => !documented.has(name))).toEqual([]);
  });

  test("the guide lists all of the venue's metrics", () => {
    const own = [...documented].filter(
      (name) => name.startsWith('oddlot_') && !/_(?:bucket|sum|count)$/.test(name),
    );
    expect(own.length).toBeGreaterThan(25);
    expect(own.filter((name) => !GUIDE.includes(name))).toEqual([]);
  });
});
