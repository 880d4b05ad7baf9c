import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, hasBots, hasExhibition, readConfig, referencePricesOf } from './config.ts';
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

describe('reference prices and the exhibition', () => {
  test.each<[string, readonly string[], string, boolean]>([
    ['a local venue', [], 'simulated', true],
    ['without simulated traders', ['--no-bots'], 'none', false],
    ['prices that stand still', ['--oracle', 'still'], 'none', false],
    ['still, with traders', ['--oracle', 'still', '--bots'], 'still', true],
    ['asked for', ['--no-bots', '--reference-prices', 'still', '--exhibition'], 'still', true],
    ['real prices', ['--reference-prices', 'exchanges'], 'exchanges', true],
    ['traders alone', ['--no-exhibition'], 'simulated', false],
    ['a mainnet', ['--network', 'mainnet', '--bots', '--exhibition'], 'none', false],
  ])('of %s', (_, args, prices, exhibition) => {
    const config = readConfig(args, {});
    expect([referencePricesOf(config), hasExhibition(config)]).toEqual([prices, exhibition]);
  });

  test.each(['simulated', 'still'])('a mainnet has none that are %s', (kind) => {
    const args = ['--network', 'mainnet', '--reference-prices', kind];
    expect(() => readConfig(args, {})).toThrow(ConfigError);
  });
});

describe('exchanges', () => {
  const sourcesOf = (args: readonly string[]) =>
    readConfig(args, {}).exchanges.map(({ name, url, weight }) => `${name} ${weight} ${url}`);

  test('are named by a flag', () => {
    expect(sourcesOf([])).toHaveLength(3);
    expect(sourcesOf(['--exchanges', 'kraken'])).toEqual(['kraken 1 wss://ws.kraken.com/v2']);
    expect(() => readConfig(['--exchanges', 'moon'], {})).toThrow(ConfigError);
  });

  test('have addresses and weights in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'oddlot-config-'));
    const file = join(folder, 'oddlot.toml');
    writeFileSync(file, '[[exchanges]]\nname = "coinbase"\nurl = "ws://here:1"\nweight = 2.5\n');
    expect(sourcesOf(['--config', file])).toEqual(['coinbase 2.5 ws://here:1']);
    rmSync(folder, { recursive: true });
  });
});
