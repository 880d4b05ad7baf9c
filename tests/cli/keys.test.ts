import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { OddlotCommand } from '../support/oddlot-command.ts';

/**
 * Goal: commands select the right key and account. Method: run the actual command against a test
 * venue, with a new home folder for each test.
 */

type Key = { readonly name: string; readonly address: string; readonly kind: string };

let venue: TestVenue;
let oddlot: OddlotCommand;
beforeAll(async () => {
  // Commands derive nonces from the machine's clock.
  venue = await startVenue({ ports: true, time: Date.now() });
  await venue.fillBook('BTC-USDC');
});
afterAll(() => venue.stop());
beforeEach(() => {
  oddlot = new OddlotCommand(() => venue.url);
});
afterEach(() => oddlot.remove());

async function accountWithAgent(): Promise<{ readonly main: string; readonly bot: string }> {
  const { address: main } = await oddlot.json<Key>('keys new main');
  await oddlot.cheapen('main');
  await oddlot.run('faucet');
  const { address: bot } = await oddlot.json<Key>('agents approve bot');
  await oddlot.cheapen('bot');
  return { main, bot };
}

test('once an agent is approved, commands without --key still use the account key', async () => {
  const { main, bot } = await accountWithAgent();
  expect(await oddlot.run('order buy 0.01 BTC')).toMatchObject({ code: 0, err: '' });
  expect(await oddlot.run('positions')).toMatchObject({ code: 0, err: '' });
  expect(await oddlot.json('keys list')).toEqual([
    { name: 'bot', address: bot, kind: 'agent', agentOf: main, isDefault: false },
    { name: 'main', address: main, kind: 'account', isDefault: true },
  ]);
  expect((await oddlot.run('keys list')).out).toMatch(/^main +0x\w+ +account +default$/m);
});

test('a default key can be set and saved, and --key overrides it', async () => {
  const { main, bot } = await accountWithAgent();
  const { address: other } = await oddlot.json<Key>('keys new other');
  const several = await oddlot.run('orders');
  expect(several).toMatchObject({
    code: 5,
    out: '',
    err: expect.stringContaining('set a default'),
  });
  expect((await oddlot.run('keys default other')).out).toBe(
    `Commands without --key now use other (${other})\n`,
  );
  expect(await oddlot.json('orders')).toMatchObject({ user: other });
  expect(await oddlot.json('orders --key main')).toMatchObject({ user: main });
  await oddlot.run('keys default bot');
  expect(await oddlot.json('orders')).toMatchObject({ user: main, agent: { address: bot } });
  expect(await oddlot.run('keys default missing')).toMatchObject({
    code: 5,
    err: expect.stringContaining('No key named "missing"'),
  });
  expect(await oddlot.json('orders')).toMatchObject({ agent: { key: 'bot' } });
});

test('if there is only one agent key, it is the default key', async () => {
  const { main } = await accountWithAgent();
  rmSync(join(oddlot.home, 'keystore/main.json'));
  expect(await oddlot.json('positions')).toMatchObject({ user: main, agent: { key: 'bot' } });
});

test("with an agent key, account commands show the owner's account and say so", async () => {
  const { main, bot } = await accountWithAgent();
  await oddlot.run('order buy 0.01 BTC');
  await oddlot.run('order buy 0.01 BTC --price 90000 --key bot');
  const note = `Agent key "bot": using its account ${main}\n`;
  for (const [line, shown] of [
    ['positions', /BTC-USDC +0\.01/],
    ['orders', /BTC +buy +0\.01 +90000/],
    ['fills', /BTC\S* +buy +0\.01/],
    ['agents list', new RegExp(`bot +${bot}`)],
    ['export fills', /^BTC,BTC-USDC,/m],
    ['watch --account --updates 1', new RegExp(`${main} .*agent key "bot"`)],
  ] as const) {
    const read = await oddlot.run(`${line} --key bot`);
    expect(read).toMatchObject({ code: 0, err: note });
    expect(read.out).toMatch(shown);
    const json = await oddlot.run(`${line} --key bot --json`);
    const agent = { key: 'bot', address: bot };
    expect(JSON.parse(json.err)).toEqual({ note: { message: note.trim(), user: main, agent } });
  }
  for (const line of ['positions', 'orders', 'watch --account --updates 1']) {
    expect(await oddlot.json(`${line} --key bot`)).toMatchObject({
      user: main,
      agent: { key: 'bot' },
    });
  }
  const granted = await oddlot.run('faucet --outcome --key bot');
  expect(granted).toMatchObject({ code: 3, err: expect.stringContaining(note) });
});

test("a key that another program approved as an agent also reads its owner's account", async () => {
  const [owner] = venue.accounts;
  const { address } = await oddlot.json<Key>('keys new imported');
  await owner!.client.exchange.approveAgent({ agentAddress: address, agentName: 'bot' });
  await venue.settled();
  expect(await oddlot.json('positions')).toMatchObject({
    user: owner!.address.toLowerCase(),
    agent: { key: 'imported' },
  });
});

test('an agent key that a venue has not approved cannot read an account there', async () => {
  await accountWithAgent();
  await using other = await startVenue({ ports: true, time: Date.now() });
  const elsewhere = { ODDLOT_URL: other.url };
  expect(await oddlot.run('positions --key bot', elsewhere)).toMatchObject({
    code: 5,
    out: '',
    err: expect.stringContaining('Agent key "bot" is not approved on this venue'),
  });
  expect(await oddlot.run('positions --key main', elsewhere)).toMatchObject({ code: 0 });
});

test.each([
  ['{"version": 1, "defaultKey": 5}', 'was written by a later release'],
  ['{"version": 2}', 'was written by a later release'],
  ['{"vers', 'is damaged'],
])('a profile with %s is rejected and not changed', async (text, why) => {
  await oddlot.run('keys new main');
  const path = join(oddlot.home, 'profile.json');
  writeFileSync(path, text);
  for (const line of ['positions', 'keys default main']) {
    expect(await oddlot.run(line)).toMatchObject({ code: 5, err: expect.stringContaining(why) });
  }
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test("if the default key's file is missing, the error names the key", async () => {
  await oddlot.run('keys new main');
  writeFileSync(join(oddlot.home, 'profile.json'), '{"version": 1, "defaultKey": "gone"}');
  expect(await oddlot.run('positions')).toMatchObject({
    code: 5,
    err: expect.stringContaining('The default key "gone" is missing.'),
  });
});
