import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingError } from '@oddlot/host/settings';
import { describe, expect, test } from 'vitest';
import {
  chainPaceOf,
  hasBots,
  hasExhibition,
  hasFaucet,
  hasRelay,
  operationsPortOf,
  readConfig,
  referencePricesOf,
} from './config.ts';
import { historyRetentionMsOf, logRetentionMsOf } from './supervise/indexer-settings.ts';
import { genesisCommands } from '@oddlot/replica/genesis-commands';

const NAMED = ['--service-network', 'example.org'];
const MAINNET = ['--network', 'mainnet', '--oracle', 'exchanges', ...NAMED];

describe('configuring simulated traders', () => {
  test.each<[string, readonly string[], boolean]>([
    ['with simulated prices', [], true],
    ['not if disabled by flag', ['--no-bots'], false],
    ['not with constant prices', ['--oracle', 'still'], false],
    ['with constant prices if enabled by flag', ['--oracle', 'still', '--bots'], true],
    ['not on a mainnet', MAINNET, false],
  ])('run %s', (_, args, expected) => {
    expect(hasBots(readConfig(args, {}))).toBe(expected);
  });
});

describe('configuring the admins', () => {
  const upper = `0x${'AB'.repeat(20)}`;

  test('the admins are a list of addresses, which are converted to lower case', () => {
    const { admins } = readConfig(['--admins', `${upper}, 0x${'1'.repeat(40)}`], {});
    expect(admins).toEqual([upper.toLowerCase(), `0x${'1'.repeat(40)}`]);
    expect(readConfig([], {}).admins).toEqual([]);
  });

  test('a list of admins with an invalid address is rejected', () => {
    expect(() => readConfig(['--admins', 'alice'], {})).toThrow(SettingError);
  });
});

describe('configuring the deployers', () => {
  const [admin, deployer] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];

  test.each<[string, readonly string[], string]>([
    ['the admins', [], admin],
    ['the configured addresses', ['--deployers', deployer], deployer],
  ])('of a new venue are %s', (_, args, expected) => {
    const config = readConfig(['--admins', admin, ...args], {});
    const [genesis] = genesisCommands('Oddlot-Testnet', config);
    expect(genesis).toMatchObject({ parameters: { admins: [admin], deployers: [expected] } });
  });

  test('the deployers can be set in the environment', () => {
    expect(readConfig([], { ODDLOT_DEPLOYERS: deployer }).deployers).toEqual([deployer]);
  });
});

describe('configuring reference prices and demo markets', () => {
  test.each<[string, readonly string[], string, boolean]>([
    ['a local venue', [], 'simulated', true],
    ['without simulated traders', ['--no-bots'], 'none', false],
    ['constant prices', ['--oracle', 'still'], 'none', false],
    ['still, with traders', ['--oracle', 'still', '--bots'], 'still', true],
    ['asked for', ['--no-bots', '--reference-prices', 'still', '--exhibition'], 'still', true],
    ['real prices', ['--reference-prices', 'exchanges'], 'exchanges', true],
    ['traders alone', ['--no-exhibition'], 'simulated', false],
    ['a mainnet', MAINNET, 'none', false],
  ])('of %s', (_, args, prices, exhibition) => {
    const config = readConfig(args, {});
    expect([referencePricesOf(config), hasExhibition(config)]).toEqual([prices, exhibition]);
  });

  test.each(['simulated', 'still'])('reference prices cannot be %s on mainnet', (kind) => {
    const args = [...MAINNET, '--reference-prices', kind];
    expect(() => readConfig(args, {})).toThrow(`referencePrices: ${kind} prices are not allowed`);
  });
});

describe('strict configuration on mainnet', () => {
  test.each<[string, readonly string[], string]>([
    ['a simulated oracle', ['--network', 'mainnet'], 'oracle: simulated prices are not allowed'],
    [
      'a constant oracle',
      ['--network', 'mainnet', '--oracle', 'still'],
      'oracle: still prices are not allowed',
    ],
    ['simulated traders', [...MAINNET, '--bots'], 'bots: not allowed on mainnet'],
    [
      'the relayer’s key in the data folder',
      [...MAINNET, '--data', '/d', '--relayer-key', '/d/key'],
      'relayerKey: must be outside the data folder',
    ],
    [
      'a validator’s key in the data folder',
      [...MAINNET, '--data', '/d', '--validator-keys', 'env:KEY,/d/keys/../key'],
      'validatorKeys: must be outside the data folder',
    ],
    ['an exhibition', [...MAINNET, '--exhibition'], 'exhibition: not allowed on mainnet'],
    ['a faucet', [...MAINNET, '--faucet'], 'faucet: not allowed on mainnet'],
    ['ordered faults', [...MAINNET, '--fault', 'slow-sync:5'], 'fault: not allowed on mainnet'],
  ])('refuses to start with %s', (_, args, text) => {
    expect(() => readConfig(args, {})).toThrow(text);
  });

  test('a mainnet venue has no simulated traders, demo markets or faucet by default', () => {
    const config = readConfig(MAINNET, {});
    expect([hasBots(config), hasExhibition(config), hasFaucet(config)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('configuring the operations port', () => {
  test.each<[readonly string[], number]>([
    [[], 8692],
    [['--port', '9000'], 9002],
    [['--port', '0'], 0],
    [['--port', '9000', '--ops-port', '7'], 7],
  ])('of %j is %i', (args, expected) => {
    expect(operationsPortOf(readConfig(args, {}))).toBe(expected);
  });

  test('the operations port listens on the loopback interface whatever the public host, and its number must be valid', () => {
    expect(readConfig(['--host', '0.0.0.0'], {}).opsHost).toBe('127.0.0.1');
    expect(() => readConfig(['--port', '65534'], {})).toThrow('opsPort');
  });
});

describe('configuring the port for Hyperliquid clients', () => {
  test('the port for Hyperliquid clients is disabled by default', () => {
    expect(readConfig([], {}).hyperliquid).toBeUndefined();
    expect(readConfig(['--hyperliquid', '8694'], {}).hyperliquid).toBe(8694);
  });

  test.each<[string, readonly string[]]>([
    ['on a mainnet', MAINNET],
    [
      'with an external chain',
      [
        ...NAMED,
        '--chain=https://chain.example',
        `--bridge-contract=0x${'1'.repeat(40)}`,
        `--usdc-contract=0x${'2'.repeat(40)}`,
      ],
    ],
  ])('is refused %s', (_, args) => {
    expect(readConfig(args, {}).hyperliquid).toBeUndefined();
    expect(() => readConfig([...args, '--hyperliquid', '8694'], {})).toThrow(
      'hyperliquid: only allowed with test funds',
    );
  });

  test.each([[[]], [['--hyperliquid', '8694', '--no-faucet']]])(
    'the credit of queried accounts is refused without the port or the faucet: %j',
    (args: readonly string[]) => {
      expect(() => readConfig([...args, '--hyperliquid-faucet'], {})).toThrow(
        'hyperliquidFaucet: requires --hyperliquid and the faucet',
      );
    },
  );
});

test('the port of the local chain listens on the loopback interface whatever the public host', () => {
  expect(readConfig(['--host', '0.0.0.0'], {}).chainHost).toBe('127.0.0.1');
  expect(readConfig(['--chain-host', '0.0.0.0'], {}).chainHost).toBe('0.0.0.0');
});

describe('configuring the retention of the log and the history', () => {
  const DAY_MS = 86_400_000;

  test.each<[string, readonly string[], number | undefined]>([
    ['a day with simulated traders', [], DAY_MS],
    ['unlimited without simulated traders', ['--no-bots'], undefined],
    ['unlimited by flag', ['--log-keep', 'all'], undefined],
    ['a number of days by flag', ['--no-bots', '--log-keep', '30'], 30 * DAY_MS],
  ])('%s', (_, args, expected) => {
    expect(logRetentionMsOf(readConfig(args, {}))).toBe(expected);
    const ofHistory = args.map((arg) => arg.replace('log-keep', 'history-keep'));
    expect(historyRetentionMsOf(readConfig(ofHistory, {}))).toBe(expected);
  });

  test.each(['0', '-1', '1.5', 'some', ''])('the retention cannot be %j', (value) => {
    expect(() => readConfig([`--log-keep=${value}`], {})).toThrow(SettingError);
  });

  test('retention can be set in the environment or in a file', () => {
    expect(readConfig([], { ODDLOT_LOG_KEEP: 'all' }).logKeep).toBe('all');
    const folder = mkdtempSync(join(tmpdir(), 'oddlot-config-'));
    const file = join(folder, 'oddlot.toml');
    for (const [text, expected] of [
      ['"all"', 'all'],
      ['7', 7],
    ] as const) {
      writeFileSync(file, `logKeep = ${text}\n`);
      expect(readConfig(['--config', file], {}).logKeep).toBe(expected);
    }
    writeFileSync(file, 'keepLog = false\n');
    expect(() => readConfig(['--config', file], {})).toThrow('keepLog: was renamed: use logKeep');
    rmSync(folder, { recursive: true });
  });

  test.each<[readonly string[], Record<string, string>]>([
    [['--no-keep-log'], {}],
    [['--keep-log'], {}],
    [[], { ODDLOT_KEEP_LOG: 'false' }],
  ])('is an error under its former name (%j %j)', (args, env) => {
    expect(() => readConfig(args, env)).toThrow('use logKeep (all, or the number of days');
  });
});

test('the threshold for a low disk must not be below the threshold for a full disk', () => {
  const { diskFullBytes, diskLowBytes } = readConfig([], {});
  expect([diskLowBytes, diskFullBytes]).toEqual([1_073_741_824, 268_435_456]);
  expect(() => readConfig(['--disk-low-bytes', '5'], {})).toThrow('diskFullBytes');
});

describe('configuring price sources', () => {
  const sourcesOf = (args: readonly string[]) =>
    readConfig(args, {}).exchanges.map(({ name, url, weight }) => `${name} ${weight} ${url}`);

  test('the price sources can be selected by name with a flag', () => {
    expect(sourcesOf([])).toHaveLength(3);
    expect(sourcesOf(['--exchanges', 'kraken'])).toEqual(['kraken 1 wss://ws.kraken.com/v2']);
    expect(() => readConfig(['--exchanges', 'moon'], {})).toThrow(SettingError);
  });

  test('the price sources can have addresses and weights in a configuration file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'oddlot-config-'));
    const file = join(folder, 'oddlot.toml');
    writeFileSync(file, '[[exchanges]]\nname = "coinbase"\nurl = "ws://here:1"\nweight = 2.5\n');
    expect(sourcesOf(['--config', file])).toEqual(['coinbase 2.5 ws://here:1']);
    rmSync(folder, { recursive: true });
  });
});

describe('using a remote chain', () => {
  const contracts = [
    '--bridge-contract',
    `0x${'11'.repeat(20)}`,
    '--usdc-contract',
    `0x${'22'.repeat(20)}`,
  ];
  const nameless = ['--chain', 'https://one.example', ...contracts];
  const remoteChain = [...nameless, ...NAMED];

  test('a remote chain has no faucet, because grants would be paid from deposits', () => {
    expect(hasFaucet(readConfig(remoteChain, {}))).toBe(false);
    expect(() => readConfig([...remoteChain, '--faucet'], {})).toThrow(/^faucet: /);
    expect(hasFaucet(readConfig(['--chain', 'none'], {}))).toBe(true);
  });

  test('a remote chain needs configured contract addresses', () => {
    expect(() => readConfig(['--chain', 'https://one.example'], {})).toThrow(/both are required/);
  });

  test('a remote chain needs a network name', () => {
    expect(() => readConfig(nameless, {})).toThrow(
      /^serviceNetwork: .* needs its own network name/,
    );
    const { serviceNetwork } = readConfig(nameless, { ODDLOT_SERVICE_NETWORK: 'example.org' });
    expect(serviceNetwork).toBe('example.org');
  });

  test('a reorganisation is accepted only by the hash of a block', () => {
    expect(() => readConfig(['--accept-reorganisation', '0x12'], {})).toThrow(/hash of a block/);
    const hash = `0x${'ab'.repeat(32)}`;
    expect(readConfig(['--accept-reorganisation', hash], {}).acceptReorganisation).toBe(hash);
  });
});

describe('using a local chain in a separate process', () => {
  const own = ['--chain', 'http://127.0.0.1:8694', '--chain-keys', '/keys'];

  test('a local chain in a separate process has a faucet and short intervals, but no relay', () => {
    const config = readConfig(own, {});
    expect(hasFaucet(config)).toBe(true);
    expect(chainPaceOf(config)).toEqual({ confirmations: 1, everyMs: 250 });
    expect(hasRelay(config)).toBe(false);
  });

  test('the keys of a local chain require its URL', () => {
    for (const chain of [[], ['--chain', 'local'], ['--chain', 'none']]) {
      expect(() => readConfig([...chain, '--chain-keys', '/keys'], {})).toThrow(
        /^chainKeys: .* Pass the URL of its replica port with --chain/,
      );
    }
  });

  test('a local chain is not allowed on mainnet', () => {
    const mainnet = ['--network', 'mainnet', '--oracle', 'exchanges', ...NAMED];
    expect(() => readConfig([...mainnet, ...own], {})).toThrow(
      /^chainKeys: a local chain is not allowed/,
    );
  });
});

describe('configuring a venue as part of a cluster', () => {
  const cluster = ['--log', 'nats://127.0.0.1:4222', '--cluster', 'main'];

  test('a cluster requires either a chain outside its replicas or none', () => {
    for (const chain of [[], ['--chain', 'local']]) {
      expect(() => readConfig([...cluster, ...chain], {})).toThrow(
        /^chain: replicas of a cluster need a shared chain\. .* \(npm run chain\)/,
      );
    }
    for (const chain of ['none', 'http://127.0.0.1:8694']) {
      const keys = chain === 'none' ? [] : ['--chain-keys', '/keys'];
      expect(readConfig([...cluster, '--chain', chain, ...keys], {}).chain).toBe(chain);
    }
  });

  test('a cluster requires both a stream and a name', () => {
    expect(() => readConfig(['--log', 'nats://127.0.0.1:4222'], {})).toThrow(/^log, cluster: /);
    expect(() => readConfig(['--cluster', 'main'], {})).toThrow(/^log, cluster: /);
  });
});

describe('configuring part of the network name', () => {
  test.each(['abc', 'example.org', '4.you', 'A'.repeat(55)])(
    'the network name can be %s',
    (word) => {
      expect(readConfig(['--service-network', word], {}).serviceNetwork).toBe(word);
    },
  );

  test.each(['ab', 'A'.repeat(56), '.org', 'my-venue', 'example.org ', 'dömäne', 'a b c', ''])(
    'the network name cannot be %j',
    (word) => {
      expect(() => readConfig(['--service-network', word], {})).toThrow(/^serviceNetwork: must be/);
    },
  );

  test('the network name is required on mainnet, but not with test funds', () => {
    const nameless = ['--network', 'mainnet', '--oracle', 'exchanges'];
    expect(() => readConfig(nameless, {})).toThrow(/^serviceNetwork: /);
    for (const args of [[], ['--chain', 'local'], ['--chain', 'none'], ['--no-faucet']]) {
      expect(readConfig(args, {}).serviceNetwork).toBeUndefined();
    }
  });
});
