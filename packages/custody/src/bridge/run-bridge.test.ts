import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BRIDGE_ABI, TEST_USDC_ABI, TEST_USDC_BYTECODE } from '@oddlot/contracts';
import { LocalChain } from '@oddlot/devchain/local-chain';
import { listen } from '@oddlot/testing/host';
import { createWalletClient, http, type Hex, parseEther, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { returnIdOf } from '../bridge-contract/deposit-logs.ts';
import { keyValidator } from '../signing/bridge-signatures.ts';
import { runBridge } from './run-bridge.ts';

const CHAIN_ID = 421_614;
const PARTIES = ['sender', 'v1', 'v2', 'v3', 'v4', 'guardian'] as const;
type Party = (typeof PARTIES)[number];

let folder = '';
let chain: LocalChain;
let rpc = '';
let token: Hex;
let bridge: Hex;
let nowMs = 1_800_000_000_000;
const addresses = {} as Record<Party, Hex>;

const file = (name: string): string => join(folder, name);
const keyOf = (party: Party): Hex => readFileSync(file(party), 'utf8').trim() as Hex;

/** Runs a command and returns its exit code and output. */
async function run(line: string): Promise<{ code: number; output: string }> {
  const lines: string[] = [];
  const args = line.split(' ').filter((word) => word !== '');
  const print = (text: string): unknown => lines.push(text);
  const code = await runBridge(args, { env: {}, print, complain: print });
  return { code, output: lines.join('\n') };
}

/** Runs a command on the test bridge, asserts that it succeeds, and returns its output. */
async function done(command: string, key?: Party): Promise<string> {
  const { code, output } = await onBridge(command, key);
  expect(output).toSatisfy(() => code === 0);
  return output;
}

function onBridge(command: string, key?: Party): Promise<{ code: number; output: string }> {
  const signer = key === undefined ? '' : `--key ${file(key)}`;
  return run(`${command} --rpc ${rpc} --bridge ${bridge} ${signer}`);
}

function wallet(party: Party) {
  const account = privateKeyToAccount(keyOf(party));
  return createWalletClient({ account, transport: http(rpc) }).extend(publicActions);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-bridge-'));
  for (const party of PARTIES) {
    const { output } = await run(`key ${file(party)}`);
    addresses[party] = output as Hex;
  }
  chain = await LocalChain.open({
    directory: file('chain'),
    chainId: CHAIN_ID,
    nowMs: () => nowMs,
    allocations: {
      [addresses.sender]: parseEther('10'),
      [addresses.guardian]: parseEther('10'),
    },
  });
  rpc = (await chain.listen({ port: 0 })).url;
  const sender = wallet('sender');
  const hash = await sender.deployContract({
    chain: null,
    abi: TEST_USDC_ABI,
    bytecode: TEST_USDC_BYTECODE,
    args: [addresses.sender],
  });
  token = (await sender.getTransactionReceipt({ hash })).contractAddress!;
  const { v1, v2, v3 } = addresses;
  const parties = `--validators ${v1},${v2},${v3} --threshold 2 --guardian ${addresses.guardian}`;
  const { code, output } = await run(
    `deploy --rpc ${rpc} --key ${file('sender')} --token ${token} ${parties} --large-usd 100 --delay-seconds 60`,
  );
  expect({ code, output }).toMatchObject({ code: 0 });
  bridge = /bridgeContract = "(0x[0-9a-f]{40})"/.exec(output)![1] as Hex;
  expect(output).toContain(`usdcContract = "${token.toLowerCase()}"`);
  expect(output).toMatch(/^sending 0x[0-9a-f]{64}\nincluded in block 2$/m);
  expect(output).toContain('bridgeFromBlock = 2');
  await sender.writeContract({
    chain: null,
    address: token,
    abi: TEST_USDC_ABI,
    functionName: 'mint',
    args: [bridge, 1_000_000_000n],
  });
});

afterAll(async () => {
  await chain.close();
  rmSync(folder, { recursive: true, force: true });
});

async function signed(name: string, ...parties: readonly Party[]): Promise<void> {
  for (const party of parties) {
    expect(await run(`sign ${file(name)} --key ${file(party)}`)).toMatchObject({ code: 0 });
  }
}

test('a bridge key is created once, is readable only by its owner, and is never printed', async () => {
  expect(statSync(file('v1')).mode & 0o777).toBe(0o600);
  expect(addresses.v1).toMatch(/^0x[0-9a-f]{40}$/);
  expect(await run(`address --key ${file('v1')}`)).toEqual({ code: 0, output: addresses.v1 });
  const again = await run(`key ${file('v1')}`);
  expect(again.code).toBe(1);
  expect(again.output).not.toContain(keyOf('v1').slice(2));
});

test('a warning is printed when a key is created in a git work tree or is readable by other users', async () => {
  mkdirSync(file('checkout/.git'), { recursive: true });
  mkdirSync(file('checkout/keys'), { mode: 0o700 });
  const inside = file('checkout/keys/v.key');
  const tree = `warning: ${inside} is in the git work tree ${realpathSync(file('checkout'))}, which may be published`;
  const made = (await run(`key ${inside}`)).output.split('\n');
  expect(made).toEqual([tree, expect.stringMatching(/^0x[0-9a-f]{40}$/)]);
  expect((await run(`address --key ${inside}`)).output.split('\n')).toEqual(made);

  mkdirSync(file('open'));
  chmodSync(file('open'), 0o777);
  const open = file('open/v.key');
  const replaced = `warning: other users can replace ${open}`;
  expect((await run(`key ${open}`)).output).toMatch(new RegExp(`^${replaced}\n0x[0-9a-f]{40}$`));
  chmodSync(open, 0o640);
  expect((await run(`address --key ${open}`)).output.split('\n').slice(0, 2)).toEqual([
    `warning: other users can read ${open}; run chmod 600 ${open}`,
    replaced,
  ]);
});

test('the status shows the parties, the balance of the bridge, and whether it is paused', async () => {
  const output = await done(`status --id 1 --account ${addresses.guardian}`);
  for (const line of [
    `bridge     ${bridge} on chain ${CHAIN_ID}`,
    'state      running',
    'balance    1000 USDC',
    `validator  ${addresses.v3}`,
    'threshold  2 of 3',
    `guardian   ${addresses.guardian}`,
    'delay      60 s for payouts of 100 USDC or more',
    'id 1  none',
  ]) {
    expect(output.split('\n')).toContain(line);
  }
  expect(output).toMatch(new RegExp(`^ether {6}[0-9.]+ held by ${addresses.guardian}$`, 'm'));
});

test('only the guardian can pause and resume the bridge', async () => {
  expect(await onBridge('pause', 'sender')).toEqual({
    code: 1,
    output: "the bridge rejected the transaction: the key is not the guardian's (code 16)",
  });
  expect(await done('pause', 'guardian')).toMatch(/sending 0x[0-9a-f]{64}\nincluded in block/);
  expect(await done('status')).toContain('state      paused (pause 1)');
  expect(await onBridge('pause', 'guardian')).toMatchObject({
    code: 1,
    output: 'the bridge rejected the transaction: the bridge is paused',
  });
  await done('unpause', 'guardian');
  expect(await done('status')).toContain('state      running');
});

test('a threshold of validators can lift a pause if each of them signs a copy of the request file', async () => {
  await done('pause', 'guardian');
  const output = await done(`unpause --prepare ${file('unpause.json')}`);
  expect(output).toContain(`unpause bridge ${bridge} on chain ${CHAIN_ID} (pause 2)`);
  copyFileSync(file('unpause.json'), file('copy.json'));
  await signed('unpause.json', 'v1');
  await signed('unpause.json', 'v1');
  const few = await onBridge(`unpause --send ${file('unpause.json')}`, 'sender');
  expect(few).toMatchObject({
    code: 1,
    output: expect.stringContaining(
      `1 of 2 validators have signed; still missing: ${addresses.v2}, ${addresses.v3}`,
    ),
  });
  await signed('copy.json', 'v3', 'sender');
  const shown = await run(`sign ${file('copy.json')}`);
  expect(shown.output).toContain(`signed by ${addresses.v3}\nsigned by ${addresses.sender}`);
  const both = `unpause --send ${file('unpause.json')} --send ${file('copy.json')}`;
  await done(both, 'sender');
  expect(await done('status')).toContain('state      running');
  // Signatures collected for lifting one pause cannot lift another.
  await done('pause', 'guardian');
  expect((await onBridge(both, 'sender')).output).toContain('the nonce has changed');
  await done('unpause', 'guardian');
});

test('a signature from another wallet is accepted if it signs this request', async () => {
  await done(`cancel 41 --prepare ${file('cancel.json')}`);
  const { typedData } = JSON.parse(readFileSync(file('cancel.json'), 'utf8'));
  const account = privateKeyToAccount(keyOf('v2'));
  const signature = await account.signTypedData(typedData);
  const added = await run(`sign ${file('cancel.json')} --signature ${signature}`);
  expect(added).toMatchObject({ code: 0, output: expect.stringContaining(addresses.v2) });
  await signed('cancel.json', 'v1');
  await done(`cancel --send ${file('cancel.json')}`, 'sender');
  expect(await done('status --id 41')).toContain('id 41  cancelled');
  const again = await onBridge(`cancel --send ${file('cancel.json')}`, 'sender');
  expect(again).toMatchObject({
    code: 1,
    output: expect.stringContaining('the payout was cancelled'),
  });
});

test('an altered request file is neither signed nor sent', async () => {
  await done(`cancel 42 --prepare ${file('good.json')}`);
  const good = readFileSync(file('good.json'), 'utf8');
  const changes: [RegExp, string][] = [
    [/"withdrawalId": "42"/, '"withdrawalId": "42", "usd": "1"'],
    [/"type": "uint64"/, '"type": "uint256"'],
    [/"name": "OddlotBridge"/, '"name": "Bridge"'],
    [/"primaryType": "Cancellation"/, '"primaryType": "Payout"'],
    [/"format": "[^"]+"/, '"format": "other"'],
    [/\{/, ''],
  ];
  for (const [found, instead] of changes) {
    writeFileSync(file('bad.json'), good.replace(found, instead));
    expect(await run(`sign ${file('bad.json')} --key ${file('v1')}`)).toMatchObject({ code: 1 });
  }
  const { format, signatures, typedData } = JSON.parse(good);
  const user = addresses.v1;
  const message = { withdrawalId: '7', user, destination: user, usd: '1' };
  const fields = ['uint64', 'address', 'address', 'uint64'];
  const Payout = Object.keys(message).map((name, at) => ({ name, type: fields[at] }));
  const types = { EIP712Domain: typedData.types.EIP712Domain, Payout };
  const payout = { domain: typedData.domain, types, primaryType: 'Payout', message };
  writeFileSync(file('bad.json'), JSON.stringify({ format, typedData: payout, signatures }));
  expect(await run(`sign ${file('bad.json')} --key ${file('v1')}`)).toMatchObject({
    code: 1,
    output: expect.stringContaining('are signed manually only'),
  });
  const deposit = { txHash: `0x${'11'.repeat(32)}`, logIndex: 0 };
  const text = JSON.stringify({ format, deposit, typedData: payout, signatures });
  writeFileSync(file('bad.json'), text);
  expect((await run(`sign ${file('bad.json')}`)).output).toContain('are signed manually only');
  const other = await onBridge(`rotate --send ${file('good.json')}`, 'sender');
  expect(other).toMatchObject({
    code: 1,
    output: expect.stringContaining('contains a Cancellation request'),
  });
});

test('a queued large payout can be cancelled by the guardian, or finished by any account when it is due', async () => {
  const queue = async (withdrawalId: bigint): Promise<void> => {
    const user = addresses.v4;
    const payout = { withdrawalId, user, destination: user, usd: 100_000_000n };
    const domain = { chainId: CHAIN_ID, bridge };
    const signers = (['v1', 'v2'] as const).toSorted((a, b) =>
      addresses[a] < addresses[b] ? -1 : 1,
    );
    const signatures = await Promise.all(
      signers.map(async (party) => {
        const request = { type: 'payout', payout } as const;
        const validator = keyValidator(keyOf(party), domain);
        return (await validator.sign(request, new AbortController().signal)).signature;
      }),
    );
    await wallet('sender').writeContract({
      chain: null,
      address: bridge,
      abi: BRIDGE_ABI,
      functionName: 'payOut',
      args: [payout, signatures],
    });
  };
  await queue(51n);
  await queue(52n);
  expect(await done('status --id 51')).toMatch(
    new RegExp(`id 51 {2}queued: 100 USDC to ${addresses.v4}, payable from 20\\d\\d-.*Z`),
  );
  await done('cancel-queued 51', 'guardian');
  expect(await done('status --id 51')).toContain('id 51  cancelled');
  const early = await onBridge('finish 52', 'sender');
  expect(early).toMatchObject({
    code: 1,
    output: expect.stringContaining('the payout is not due yet'),
  });
  nowMs += 61_000;
  await done('finish 52', 'sender');
  expect(await done('status --id 52')).toContain('id 52  paid');
  expect((await onBridge('cancel-queued 52', 'guardian')).output).toContain(
    'the payout is not queued',
  );
});

test('R-deposit: a held deposit is returned only once, to its sender', async () => {
  const sender = wallet('sender');
  const mint = { chain: null, address: token, abi: TEST_USDC_ABI, functionName: 'mint' } as const;
  const txHash = await sender.writeContract({ ...mint, args: [bridge, 7_500_000n] });
  const receipt = await sender.getTransactionReceipt({ hash: txHash });
  const { logIndex } = receipt.logs[0]!;
  const source = { txHash, logIndex, chainId: CHAIN_ID, blockNumber: 1 };
  const aside = { reason: 'fromContract', account: addresses.v4, amount: '7500000', source };
  let listed: object[] = [aside];
  const server = createServer((_, response) => {
    const watch = { book: { aside: listed } };
    response.end(JSON.stringify({ chainId: CHAIN_ID, bridge, watch }));
  });
  const operations = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const prepare = `return --prepare ${file('return.json')} --operations ${operations} --tx ${txHash} --log`;
  expect((await onBridge(`${prepare} ${logIndex + 1}`)).output).toContain(
    'no such uncredited deposit',
  );
  listed = [{ ...aside, reason: 'bound' }];
  expect((await onBridge(`${prepare} ${logIndex}`)).output).toContain(
    'the deposit cannot be returned',
  );
  listed = [{ ...aside, amount: '7500001' }];
  expect((await onBridge(`${prepare} ${logIndex}`)).output).toContain('contains no such deposit');
  listed = [aside];
  const output = await done(`${prepare} ${logIndex}`);
  expect(output).toContain('amount    7.5 USDC');
  expect(output).toContain(`to        ${addresses.v4}`);
  await signed('return.json', 'v3', 'v2');
  await done(`return --send ${file('return.json')}`, 'sender');
  const id = returnIdOf(txHash, logIndex);
  expect(await done(`status --id ${id}`)).toContain(`id ${id}  paid`);
  const usdc = { address: token, abi: TEST_USDC_ABI, functionName: 'balanceOf' } as const;
  expect(await sender.readContract({ ...usdc, args: [addresses.v4] })).toBe(107_500_000n);
  // The venue may still show the deposit as held, but the contract prevents a second return.
  expect((await onBridge(`${prepare} ${logIndex}`)).output).toContain('is being returned or has');
  expect((await onBridge(`return --send ${file('return.json')}`, 'sender')).output).toContain(
    'the payout was already made',
  );
  server.close();
  server.closeAllConnections();
});

test('the balance of a bridge can be moved only to the next bridge', async () => {
  const { guardian, v1, v2, v3 } = addresses;
  const parties = `--validators ${v1},${v2},${v3} --threshold 2 --guardian ${guardian}`;
  const settings = `--token ${token} ${parties} --large-usd 100 --delay-seconds 60`;
  const made = await run(`deploy ${settings} --rpc ${rpc} --key ${file('sender')}`);
  const next = /^bridge (0x[0-9a-f]{40})$/m.exec(made.output)![1];
  const nowhere = await onBridge(`move --prepare ${file('move.json')} --to ${v1}`);
  expect(nowhere).toMatchObject({ code: 1, output: `no bridge at ${v1}` });
  const output = await done(`move --prepare ${file('move.json')} --to ${next}`);
  expect(output).toContain(`move all user funds out of bridge ${bridge}`);
  expect(output).toContain('amount    900 USDC');
  const id = /id {8}(\d+)/.exec(output)![1];
  await signed('move.json', 'v1', 'v3');
  await done(`move --send ${file('move.json')}`, 'sender');
  // The amount is queued like any large payout.
  nowMs += 61_000;
  await done(`finish ${id}`, 'sender');
  expect(await done('status')).toContain('balance    0 USDC');
  const there = await run(`status --rpc ${rpc} --bridge ${next}`);
  expect(there.output).toContain('balance    900 USDC');
});

test('a rotation replaces the validators, and the former validators lose their role', async () => {
  const { guardian, v2, v3, v4 } = addresses;
  const parties = `--validators ${v2},${v3},${v4} --threshold 2 --guardian ${guardian}`;
  const warned = await done(
    `rotate --prepare ${file('warned.json')} --validators ${v2},${guardian} --threshold 2 --guardian ${guardian}`,
  );
  expect(warned).toContain('warning: the guardian is also a validator');
  expect(warned).toContain('warning: the loss of one key stops all payouts permanently');
  await done(`rotate --prepare ${file('rotate.json')} ${parties}`);
  await signed('rotate.json', 'v1', 'v2');
  await done(`rotate --send ${file('rotate.json')}`, 'sender');
  const output = await done('status');
  expect(output).toContain(`validator  ${v4}`);
  expect(output).not.toContain(`validator  ${addresses.v1}`);
  expect(output).toContain('rotations  1');
  await done(`cancel 61 --prepare ${file('after.json')}`);
  await signed('after.json', 'v1', 'v2');
  expect((await onBridge(`cancel --send ${file('after.json')}`, 'sender')).output).toContain(
    '1 of 2 validators have signed',
  );
  expect((await onBridge(`rotate --send ${file('rotate.json')}`, 'sender')).code).toBe(1);
});

test('an invalid command line exits with code 2 and prints the usage', async () => {
  const wrong: [string, string][] = [
    ['fly', 'Unknown command fly'],
    ['status', 'Missing --bridge'],
    [`status --bridge ${bridge}`, 'Missing --rpc'],
    [`status --rpc ${rpc} --bridge 0x12`, '0x12 is not an address'],
    [`cancel-queued x --rpc ${rpc} --bridge ${bridge}`, 'Invalid withdrawal id: x'],
    [`rotate --rpc ${rpc} --bridge ${bridge}`, 'either --prepare FILE or --send FILE'],
    [`status --loud`, "Unknown option '--loud'"],
    [
      `rotate --prepare x --rpc ${rpc} --bridge ${bridge} --guardian ${bridge} --threshold 2 --validators ${bridge}`,
      'a threshold from 1 to',
    ],
  ];
  for (const [line, why] of wrong) {
    const { code, output } = await run(line);
    expect([code, output]).toEqual([2, expect.stringContaining(why)]);
  }
  expect(await run('--help')).toMatchObject({ code: 0 });
});

test('an impossible command exits with code 1, and an unmined transaction exits with code 3', async () => {
  const away = await run(`status --rpc http://127.0.0.1:9 --bridge ${bridge}`);
  expect(away.code).toBe(1);
  const nobody = `0x${'99'.repeat(20)}`;
  const empty = await run(`status --rpc ${rpc} --bridge ${nobody}`);
  expect(empty).toEqual({ code: 1, output: `no bridge at ${nobody}` });
  const other = await run(`status --rpc ${rpc} --chain-id 1 --bridge ${bridge}`);
  expect(other).toMatchObject({ code: 1, output: expect.stringContaining('serves chain 421614') });
  const parties = `--validators ${nobody} --threshold 1 --guardian ${nobody}`;
  const settings = `--token ${token} ${parties} --large-usd 100 --delay-seconds 60`;
  const poor = await run(`deploy ${settings} --rpc ${rpc} --key ${file('v1')}`);
  const lacks = expect.stringContaining(`${addresses.v1} has 0 ether, but up to 0.`);
  expect(poor).toMatchObject({ code: 1, output: lacks });
  const none = await onBridge(`finish 1 --key ${file('none')}`);
  expect(none).toMatchObject({ code: 1, output: expect.stringContaining('cannot be read') });
  chain.setAutomine(false);
  const unmined = await onBridge('pause --wait-seconds 1', 'guardian');
  expect(unmined).toMatchObject({
    code: 3,
    output: expect.stringContaining('Check its status before'),
  });
  chain.setAutomine(true);
});
