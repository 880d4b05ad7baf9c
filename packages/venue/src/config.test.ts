import { describe, expect, test } from 'vitest';
import { ConfigError, hasBots, readConfig } from './config.ts';
import { genesisCommands } from './genesis.ts';

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

describe('deployers', () => {
  const [admin, deployer] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];

  test.each<[string, readonly string[], string]>([
    ['the admins', [], admin],
    ['whoever is named', ['--deployers', deployer], deployer],
  ])('of a new venue are %s', (_, args, expected) => {
    const config = readConfig(['--admins', admin, ...args], {});
    const [genesis] = genesisCommands('Oddlot-Testnet', config);
    expect(genesis).toMatchObject({ parameters: { admins: [admin], deployers: [expected] } });
  });

  test('come from the environment too', () => {
    expect(readConfig([], { ODDLOT_DEPLOYERS: deployer }).deployers).toEqual([deployer]);
  });
});
