import { createClient, privateKeyWallet, randomPrivateKey } from '@oddlot/sdk';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chainOf } from '../support/chain.ts';
import { OddlotCommand } from '../support/oddlot-command.ts';
import { FIXED_PRICE_FLAGS, removeTemporaryData, Venue } from '../support/venue-process.ts';

/**
 * Goal: deposit from the settlement chain in a terminal. Method: run the command against a real
 * venue and its chain.
 */

const command = new OddlotCommand(() => venue.url);
const oddlot = command.run.bind(command);
const key = randomPrivateKey();
const { address } = privateKeyWallet(key);
const poorKey = randomPrivateKey();
const poor = privateKeyWallet(poorKey).address;
let venue: Venue;

beforeAll(async () => {
  venue = await Venue.start([
    ...FIXED_PRICE_FLAGS,
    '--chain',
    'local',
    '--faucet',
    '--no-relay',
    '--no-web',
  ]);
  expect(await oddlot('keys import', { ODDLOT_PRIVATE_KEY: key })).toMatchObject({ code: 0 });
  await oddlot('keys import poor', { ODDLOT_PRIVATE_KEY: poorKey });
  await createClient({ url: venue.url }).faucet({ user: address, onChain: true });
});
afterAll(async () => {
  await venue.stop();
  await removeTemporaryData();
  command.remove();
});

async function withdrawable(): Promise<string> {
  const { info } = createClient({ url: venue.url });
  return (await info.clearinghouseState({ user: address })).withdrawable;
}

test('deposits by permit and by transfer are credited and show each step, as text and as JSON', async () => {
  const permit = await oddlot('deposit 100 --key main');
  expect(permit).toMatchObject({
    code: 0,
    out: `Credited 100 USDC to ${address}\n`,
    err: expect.stringMatching(
      /has 1000 USDC on chain.*\nSigned a permit.*\nThe venue submitted the permit: 0x.*\nWaiting/,
    ),
  });
  expect(await withdrawable()).toBe('100');
  const sent = await oddlot('deposit 50.5 --transfer --key main --json');
  expect(JSON.parse(sent.out)).toMatchObject({ user: address, amount: '50.5' });
  expect(sent.err).toMatch(/has 900 USDC .*\nsending 0x[0-9a-f]{64}\nincluded in block \d+\n/);
  expect(await withdrawable()).toBe('150.5');
});

test('the deposit command reports a lack of USDC or ether and sends no transaction', async () => {
  expect(await oddlot('deposit 5 --key poor')).toMatchObject({
    code: 3,
    out: '',
    err: expect.stringMatching(
      /^0x\w+ has 0 USDC on chain \d+, less than the amount to deposit\. Nothing was sent\.\n$/,
    ),
  });
  const chain = await chainOf(venue.url);
  await chain.wallet(privateKeyToAccount(key)).transfer(poor as `0x${string}`, 20_000_000n);
  expect(await oddlot('deposit 5 --transfer --key poor')).toMatchObject({
    code: 3,
    out: '',
    err: expect.stringMatching(/has 0 ether, but up to/),
  });
  expect(await chain.balanceOf(poor as `0x${string}`)).toBe(20_000_000n);
  // A permit requires no ether.
  expect(await oddlot('deposit 5 --key poor')).toMatchObject({ code: 0 });
});

test('an agent key cannot deposit, because its own address would be credited', async () => {
  expect(await oddlot('agents approve bot --key main')).toMatchObject({ code: 0 });
  expect(await oddlot('deposit 5 --key bot')).toMatchObject({
    code: 5,
    out: '',
    err: expect.stringMatching(/^Key "bot" is an agent key of 0x\w+\. .*Nothing was sent\.\n$/),
  });
});

test('a running venue writes a snapshot on request', async () => {
  const { height } = JSON.parse(
    (await oddlot(`snapshot --operations ${venue.operations} --json`)).out,
  );
  expect(height).toBeGreaterThan(1);
  const snapshot = await oddlot(`snapshot --operations ${venue.operations}`);
  expect(snapshot.out).toMatch(/^Newest snapshot: block \d+\n$/);
}, 60_000);

test.each<[line: string, code: number, why: string]>([
  ['deposit x --key main', 2, 'Invalid <amount> "x". Use a USDC amount'],
  ['deposit 1e3 --key main', 2, 'Invalid <amount> "1e3"'],
  ['deposit -5 --key main', 2, 'Invalid <amount> "-5"'],
  ['deposit 4.999999 --key main', 2, 'The minimum deposit is 5 USDC'],
  ['deposit 5.0000001 --key main', 2, 'with at most 6 decimal places'],
  ['deposit 5 --rpc moon --key main', 2, 'Invalid --rpc "moon". Use a URL.'],
  ['deposit 5 --rpc http://127.0.0.1:1 --key main', 4, 'HTTP request failed'],
  ['deposit 5 --wait-seconds soon --key main', 2, 'Invalid --wait-seconds "soon"'],
  ['deposit 5 --key missing', 5, 'No key named "missing"'],
  ['deposit', 2, "missing required argument 'amount'"],
  ['snapshot --operations moon', 2, 'Invalid --operations "moon". Use a URL.'],
  ['snapshot --operations http://127.0.0.1:1', 4, 'No response from'],
])('`oddlot %s` exits with %i and a message', async (line, code, why) => {
  const before = await withdrawable();
  const ended = await oddlot(line);
  expect(ended).toMatchObject({ code, out: '', err: expect.stringContaining(why) });
  expect(await withdrawable()).toBe(before);
});
