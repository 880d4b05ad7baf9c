import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { termsOf } from './chains/relay-chain.ts';
import { localSeed, readSeed } from './relay-keys.ts';
import { readRelaySettings } from './relay-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'oddlot-relay-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'relay.toml');
const SEED = ['--seed', 'env:WORDS', '--service-network', 'example.org-3fa9c1d2'];
const WORDS = 'test test test test test test test test test test test junk';

test('flags override the environment, which overrides the file', () => {
  writeFileSync(file, 'port = 1\nexpireMs = 2\neveryMs = 3\n[[chains]]\nname = "base"\n');
  const env = { ODDLOT_RELAY_PORT: '4', ODDLOT_RELAY_EXPIRE_MS: '5' };
  const settings = readRelaySettings([...SEED, '--config', file, '--port', '6'], env);
  expect(settings).toMatchObject({ port: 6, expireMs: 5, everyMs: 3, limits: true });
  expect(settings.chains).toMatchObject([{ name: 'base', rpc: [], confirmations: 20 }]);
});

test.each([
  [[], 'seed: missing (see --help)'],
  [['--seed', 'env:WORDS'], 'serviceNetwork: missing. Set it to the network name'],
  [[...SEED, '--port', 'many'], '--port must be a whole number from 0 to 65535: many'],
  [[...SEED, '--venue', 'somewhere'], 'venue: must be a URL'],
  [[...SEED, '--nothing'], "Unknown option '--nothing'"],
])('the arguments %j are rejected: %s', (args, message) => {
  expect(() => readRelaySettings(args, {})).toThrow(message);
});

describe('the terms of a relay chain can be configured', () => {
  test('the terms include those of the known chains and those set by the operator', () => {
    const settings = readRelaySettings(
      [...SEED, '--config', writeChains('withdrawFee = "0.25"')],
      {},
    );
    const [, base] = termsOf(settings.chains, 'mainnet');
    expect(base).toEqual({
      name: 'base',
      chainId: 8453,
      minDepositMicro: 5_100_000n,
      depositFeeMicro: 100_000n,
      minWithdrawMicro: 2_000_000n,
      withdrawFeeMicro: 250_000n,
    });
  });

  test.each([
    ['minDeposit = "5"', 'chains.base.minDeposit: must be at least 5.1'],
    ['minWithdraw = "0.1"', 'chains.base.minWithdraw: must be above the fee'],
  ])(
    'the terms cannot contain %s, because the amount after fees must be worth a transfer',
    (line, message) => {
      const { chains } = readRelaySettings([...SEED, '--config', writeChains(line)], {});
      expect(() => termsOf(chains, 'testnet')).toThrow(message);
    },
  );
});

function writeChains(line: string): string {
  writeFileSync(file, `[[chains]]\nname = "base"\n${line}\n`);
  return file;
}

describe('the seed of a relay determines its keys', () => {
  test('the seed derives the same addresses as in wallets', () => {
    const keys = readSeed('env:WORDS', { WORDS });
    // The first account of the well-known test mnemonic.
    expect(keys.address('float')).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
    expect(keys.address('deposit', 1)).not.toBe(keys.address('peg', 1));
  });

  test('an invalid seed is rejected without being printed', () => {
    expect(() => readSeed('env:WORDS', { WORDS: 'my secret' })).toThrow(
      /^seed: does not contain a mnemonic/,
    );
    expect(() => readSeed('env:WORDS', {})).toThrow(/^seed: does not contain a mnemonic/);
    expect(() => readSeed(join(folder, 'none'), {})).toThrow('cannot be read');
  });

  test('the seed for test funds is created only once', () => {
    expect(localSeed(folder).address('float')).toBe(localSeed(folder).address('float'));
  });

  test.each(['relay.jsonl', join('second', 'chain', 'chain.log')])(
    'the seed for test funds is not recreated if %s exists, which the error names',
    (name) => {
      const data = mkdtempSync(join(folder, 'data-'));
      const file = join(data, 'seed');
      mkdirSync(dirname(join(data, name)), { recursive: true });
      writeFileSync(join(data, name), 'a line\n');
      expect(() => localSeed(data)).toThrow(
        `${file} is missing, but ${join(data, name)} was created with it: restore it`,
      );
      expect(existsSync(file)).toBe(false);
      writeFileSync(file, 'my secret');
      expect(() => localSeed(data)).toThrow(`${file} does not contain a mnemonic of 12 to 24`);
      expect(readFileSync(file, 'utf8')).toBe('my secret');
      writeFileSync(file, WORDS);
      expect(localSeed(data).address('float')).toMatch(/^0x/);
    },
  );
});
