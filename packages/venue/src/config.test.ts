import { describe, expect, test } from 'vitest';
import { ConfigError, hasBots, readConfig } from './config.ts';

describe('simulated traders', () => {
  test.each<[string, readonly string[], boolean]>([
    ['where prices are simulated', [], true],
    ['not when told so', ['--no-bots'], false],
    ['not where prices stand still', ['--oracle', 'still'], false],
    ['there too when told so', ['--oracle', 'still', '--bots'], true],
    ['never on a mainnet', ['--network', 'mainnet', '--bots'], false],
  ])('run %s', (_, args, expected) => {
    expect(hasBots(readConfig(args, {}))).toBe(expected);
  });
});

describe('admins', () => {
  const upper = `0x${'AB'.repeat(20)}`;

  test('are a list of addresses, in lower case', () => {
    const { admins } = readConfig(['--admins', `${upper}, 0x${'1'.repeat(40)}`], {});
    expect(admins).toEqual([upper.toLowerCase(), `0x${'1'.repeat(40)}`]);
    expect(readConfig([], {}).admins).toEqual([]);
  });

  test('are refused when they are none', () => {
    expect(() => readConfig(['--admins', 'alice'], {})).toThrow(ConfigError);
  });
});
