import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededKey } from '../../packages/testkit/src/seeded-wallet.ts';
import { eventOf, marketOf } from '../../packages/testkit/src/outcome-listing.ts';
import { runVerifyResolution } from '../../packages/cli/src/verify/run-verify-resolution.ts';
import { OddlotCommand } from '../support/oddlot-command.ts';

/**
 * Goal: test the commands that traders use in a terminal, including their errors. Method: run the
 * actual command against a test venue.
 */

let venue: TestVenue;
const command = new OddlotCommand(() => venue.url);
const { home } = command;
const oddlot = command.run.bind(command);
const cheapen = command.cheapen.bind(command);
beforeAll(async () => {
  // Commands derive nonces from the machine's clock.
  venue = await startVenue({ ports: true, time: Date.now() });
  await venue.fillBook('BTC-USDC');
});
afterAll(async () => {
  await venue.stop();
  command.remove();
});

function eventFile(nowMs: number) {
  const event = eventOf({ event: { slug: 'snow' } }, { nowMs, number: 1 });
  const markets = ['snow-monday', 'snow-tuesday'].map((slug) => {
    const { eventSlug: _, ...market } = marketOf({ slug }, event, nowMs);
    return market;
  });
  return { event, markets };
}

test('a trader manages keys, money, orders, positions and fills, with output as text and as JSON', async () => {
  const made = await oddlot('keys new');
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^main 0x[0-9a-f]{40}\n$/) });
  const [key] = JSON.parse((await oddlot('keys list --json')).out);
  await cheapen('main');
  expect(made.out).toContain(key.address);
  expect((await oddlot('faucet')).out).toBe(`Credited 1000 test USDC to ${key.address} (perp)\n`);
  const bought = await oddlot('order buy 0.01 BTC');
  expect(bought.out).toMatch(/^filled: order \d+ on BTC-USDC, 0\.01 at 97000\.1\n$/);
  expect((await oddlot('positions')).out).toMatch(/BTC-USDC +0\.01 +97000\.1/);
  expect(JSON.parse((await oddlot('fills --json')).out)).toMatchObject([{ sz: '0.01' }]);
  const resting = await oddlot('order buy 0.01 BTC --price 90000 --tif Alo');
  expect(resting.out).toMatch(/^open: order \d+ on BTC-USDC\n$/);
  const id = /order (\d+)/.exec(resting.out)![1];
  expect((await oddlot('orders')).out).toContain(id);
  expect((await oddlot(`cancel BTC ${id}`)).code).toBe(0);
  expect((await oddlot('orders')).out).toBe('No orders\n');
  expect((await oddlot('book BTC --levels 1')).out).toBe(
    'side    price  size\nask   97000.1  0.99\nbid   96999.9     1\n',
  );
});

test('an agent can be approved and can trade, and outcome shares can be split, bought and merged', async () => {
  const market = await venue.createMarket({ slug: 'rain', event: { slug: 'rain-event' } });
  await venue.fillBook(market);
  expect((await oddlot('faucet --outcome --key main')).code).toBe(3);
  const { address } = JSON.parse((await oddlot('keys list --json')).out)[0];
  await venue.fund(address, { outcome: '1000' });
  expect((await oddlot('outcomes')).out).toContain('rain');
  expect(await oddlot('split 20 rain --key main')).toMatchObject({ code: 0 });
  expect(await oddlot('merge 5 rain --key main')).toMatchObject({ code: 0 });
  expect((await oddlot('order buy 10 rain --price 0.6 --key main')).out).toMatch(/^filled/);
  expect((await oddlot('agents approve bot --key main')).out).toContain('Approved agent bot');
  expect((await oddlot('agents list --key main')).out).toContain('bot');
  expect((await oddlot('order buy 0.001 BTC --price 96000 --key bot')).code).toBe(0);
});

test('the watch commands follow a book with its trades, and an account', async () => {
  const [line] = (await oddlot('watch BTC --levels 1 --updates 1 --json')).out.split('\n');
  expect(JSON.parse(line!)).toMatchObject({ coin: 'BTC-USDC', bids: [{ px: '96999.9' }] });
  const people = await oddlot('watch BTC --levels 2 --updates 1');
  expect(people).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^BTC-USDC\nside +price +size\nask/),
  });
  const account = await oddlot('watch --account --updates 1 --key main');
  expect(account.out).toMatch(/BTC-USDC +0\.01/);
});

test('an admin changes, halts and resumes a perp, and changes the fee schedule, the gate and the operators', async () => {
  const admin = seededKey(venue.seed, 'admin');
  expect((await oddlot('keys import admin', { ODDLOT_PRIVATE_KEY: admin })).code).toBe(0);
  await cheapen('admin');
  const as = ' --key admin';
  expect((await oddlot(`market change ETH --taker-fee 0.0007${as}`)).out).toBe(
    'ETH-USDC updated\n',
  );
  expect((await oddlot(`market halt ETH${as}`)).out).toBe('ETH-USDC is halted\n');
  const { universe } = JSON.parse((await oddlot('markets --json')).out);
  expect(universe.find(({ name }: { name: string }) => name === 'ETH-USDC').haltTrading).toBe(true);
  expect((await oddlot(`market resume ETH${as}`)).out).toBe('ETH-USDC is trading again\n');
  expect((await oddlot(`market halt rain${as}`)).out).toBe('rain is halted\n');
  expect((await oddlot(`market resume rain${as}`)).out).toBe('rain is trading again\n');
  const someone = `0x${'5e'.repeat(20)}`;
  expect((await oddlot(`operators add deployers ${someone}${as}`)).code).toBe(0);
  expect((await oddlot('operators')).out).toContain(`deployer  ${someone}`);
  expect((await oddlot(`operators remove deployers ${someone}${as}`)).code).toBe(0);
  expect((await oddlot(`gate bar ${someone} --channel outcome${as}`)).code).toBe(0);
  expect((await oddlot('gate')).out).toContain(
    'outcome: open, 0 on the whitelist, 1 on the blacklist',
  );
  expect((await oddlot(`gate set whitelist${as}`)).out).toBe(
    'Access to perp markets set to whitelist\n',
  );
  expect((await oddlot(`gate set open${as}`)).code).toBe(0);
  const ladder = join(home, 'ladder.json');
  const tier = {
    level: 0,
    min14dTradingVolume: '0',
    perpMakerFeeRate: '0.0001',
    perpTakerFeeRate: '0.0004',
  };
  writeFileSync(ladder, JSON.stringify({ tiers: [tier] }));
  expect((await oddlot(`fees set ${ladder}${as}`)).out).toBe(
    'Set 1 fee tiers, effective from the next fill\n',
  );
  expect((await oddlot('fees')).out).toContain('0.0004');
  expect((await oddlot(`market delist SOL --yes${as}`)).out).toBe('SOL-USDC is closing\n');
});

test('a deployer lists an event with two markets from a file and resolves a closed market', async () => {
  const file = join(home, 'event.json');
  const { event, markets } = eventFile(venue.now);
  writeFileSync(file, JSON.stringify({ event, markets }));
  const made = await oddlot(`event create ${file} --key admin --json`);
  const [first, second] = JSON.parse(made.out);
  expect([first.slug, second.slug]).toEqual(['snow-monday', 'snow-tuesday']);
  expect((await oddlot(`event resolve ${first.id} 1 --yes --key admin`)).code).toBe(3);
  expect((await oddlot(`event close ${first.id} --key admin`)).err).toContain('is final');
  expect((await oddlot(`event close ${first.slug} --yes --key admin`)).out).toBe(
    'snow-monday is closed\n',
  );
  const resolved = await oddlot(`event resolve ${first.id} 1 --yes --evidence seen --key admin`);
  expect(resolved.out).toBe(`Each YES share of ${first.id} pays 1 USDC\n`);
});

type Listing = { event: object; markets: Record<string, unknown>[] };

/**
 * Returns the path of a file that describes an event with three markets. The test modifies the
 * description.
 */
function listing(slug: string, change: (file: Listing) => void): string {
  const { event, markets } = eventFile(venue.now);
  const days = ['monday', 'tuesday', 'sunday'];
  const file: Listing = {
    event: { ...event, slug },
    markets: days.map((day) => ({ ...markets[0], slug: `${slug}-${day}` })),
  };
  change(file);
  const path = join(home, `${slug}.json`);
  writeFileSync(path, JSON.stringify(file));
  return path;
}

test('an event whose second market is rejected is listed in part, and running the file again completes it', async () => {
  const taken = await venue.createMarket({ slug: 'hail', event: { slug: 'hail-event' } });
  const file = listing('fog', ({ markets }) => (markets[1]!['instrumentId'] = taken.id));
  const ended = await oddlot(`event create ${file} --key admin --json`);
  expect(ended).toMatchObject({ code: 6, out: '' });
  const { error } = JSON.parse(ended.err);
  const [monday] = error.markets;
  expect(error).toMatchObject({ exitCode: 6, notListed: 'fog-tuesday', event: 'fog' });
  expect(error.message).toMatch(/^fog-tuesday was not listed: .*run the command again/);
  expect(error.message).toContain(`market fog-monday (${monday.id})`);
  const before = venue.head.hash;
  const other = listing('fog', ({ markets }) => (markets[0]!['priceTick'] = '0.1'));
  expect(await oddlot(`event create ${other} --key admin`)).toMatchObject({
    code: 2,
    err: expect.stringContaining('fog-monday is already listed with a different priceTick'),
  });
  expect(venue.head.hash).toBe(before);
  listing('fog', () => undefined);
  const again = JSON.parse((await oddlot(`event create ${file} --key admin --json`)).out);
  expect(again).toMatchObject([
    { slug: 'fog-monday', id: monday.id, isNew: false },
    { slug: 'fog-tuesday', isNew: true },
    { slug: 'fog-sunday', isNew: true },
  ]);
  const once = venue.head.hash;
  expect((await oddlot(`event create ${file} --key admin`)).out).toContain(
    `Already listed: fog-monday as market ${monday.id} of event fog\n`,
  );
  expect(venue.head.hash).toBe(once);
});

test("the guide's files are valid once their times are moved to the present", async () => {
  const guide = readFileSync(new URL('../../docs/build/cli.md', import.meta.url), 'utf8');
  const [event, ladder] = [...guide.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text]) => text!);
  const start = 1_798_761_600_000;
  const moved = event!.replaceAll(
    /\b1[78]\d{11}\b/g,
    (time) => `${Number(time) - start + venue.now}`,
  );
  const files = { event: join(home, 'shown-event.json'), ladder: join(home, 'shown-ladder.json') };
  writeFileSync(files.event, moved);
  writeFileSync(files.ladder, ladder!);
  expect(await oddlot(`event create ${files.event} --key admin`)).toMatchObject({
    code: 0,
    err: '',
  });
  expect(await oddlot(`fees set ${files.ladder} --key admin`)).toMatchObject({ code: 0, err: '' });
});

test.each<[what: string, change: (file: Listing) => void, why: string]>([
  ['tick', ({ markets }) => (markets[1]!['priceTick'] = '0.03'), 'priceTick must be'],
  ['type', ({ markets }) => (markets[2]!['priceTick'] = 1), 'markets[2]: Wrong type'],
  ['lack', ({ markets }) => delete markets[1]!['question'], 'markets[1]: Missing'],
  ['null', ({ markets }) => (markets[1] = null as never), 'markets[1]: '],
  ['twice', ({ markets }) => (markets[1]!['slug'] = 'twice-monday'), 'is used by two markets'],
  [
    'late',
    ({ markets }) => (markets[1]!['endTime'] = 9e12),
    "endTime must not be after the event's",
  ],
  [
    'past',
    ({ markets }) => (markets[1]!['endTime'] = markets[1]!['startTime']),
    'startTime must be',
  ],
  ['fee', ({ markets }) => (markets[1]!['takerFeeRate'] = '2'), 'takerFeeRate must be'],
  [
    'title',
    ({ event }) => ((event as { title: unknown }).title = 5),
    'event: Wrong type for title',
  ],
])('an event with a wrong %s is rejected before any action is sent', async (what, change, why) => {
  const before = venue.head.hash;
  const ended = await oddlot(`event create ${listing(what, change)} --key admin`);
  expect(ended).toMatchObject({ code: 2, out: '', err: expect.stringContaining(why) });
  expect(venue.head.hash).toBe(before);
});

test.each<[line: string, code: number, why: string, env?: Readonly<Record<string, string>>]>([
  ['nonsense', 2, "unknown command 'nonsense'"],
  ['--moon', 2, "unknown option '--moon'"],
  ['--key', 2, "option '--key <name>' argument missing"],
  ['status --url moon', 2, 'Not an http or https address: moon'],
  ['keys new Bad!', 2, 'Invalid key name "Bad!"'],
  ['agents approve a/b --key main', 2, 'Invalid key name "a/b"'],
  ['agents list 0x12', 2, 'Invalid address "0x12"'],
  ['faucet 0x12', 2, 'Invalid address "0x12"'],
  ['faucet', 5, 'Choose a key with --key'],
  ['withdraw x --key main', 2, 'Invalid <amount> "x". Use a USDC amount'],
  ['withdraw 5 0x12 --key main', 2, 'Invalid [destination] "0x12". Use 0x followed by 40'],
  ['deposit 5 --key main', 3, 'This venue has no settlement chain'],
  ['withdraw 5 --key main', 3, 'this venue has no settlement chain'],
  ['split x rain --key main', 2, 'Invalid <pairs> "x". Use a decimal number.'],
  ['split 5 BTC --key main', 3, 'Instrument is not an outcome market'],
  ['split 999999 rain --key main', 3, 'Insufficient balance'],
  ['merge 999999 rain --key main', 3, 'Insufficient shares to merge'],
  ['merge 5 NOPE --key main', 2, 'There is no instrument NOPE'],
  ['order buy x BTC --key main', 2, 'Invalid <size> "x". Use a decimal number.'],
  ['order buy 1 BTC --price x --key main', 2, 'Invalid --price "x". Use a decimal number.'],
  ['order buy -1 BTC --price 90000 --key main', 3, 'Order size is below the minimum'],
  ['order buy 10 rain --key main', 2, 'Missing --price. Orders on outcome markets need a limit'],
  [
    'order buy 10 rain --price 0.5 --tif Ioc --key main',
    2,
    'Invalid --tif Ioc. Outcome markets do not support it.',
  ],
  ['order buy 0.01 BTC --price 90000 --cloid x --key main', 3, 'Invalid cloid format'],
  ['order buy 0.01 BTC --network moon --key main', 2, 'Unknown network: moon'],
  ['order buy 0.01 BTC --network a.org-3fa9c1d2 --key main', 2, 'Nothing was signed'],
  ['orders 0x12', 2, 'Invalid address "0x12"'],
  ['fills 0x12', 2, 'Invalid address "0x12"'],
  ['book NOPE', 2, 'There is no instrument NOPE'],
  ['book BTC --levels 0', 2, 'Invalid --levels "0". Use a whole number above zero.'],
  [
    'export nothing --key main',
    2,
    'Invalid <what> "nothing". Use one of fills, fundings, ledger, orders.',
  ],
  ['export fills 0x12', 2, 'Invalid address "0x12"'],
  ['cancel NOPE 5 --key main', 2, 'There is no instrument NOPE'],
  ['cancel BTC --key main', 2, '[order-id] is missing. Add an id from `oddlot orders`'],
  ['cancel BTC 5 --all --key main', 2, 'Use either [order-id] or --all, not both.'],
  ['watch BTC --updates x', 2, 'Invalid --updates "x"'],
  ['market halt NOPE --key admin', 2, 'There is no instrument NOPE'],
  ['market delist NOPE --yes --key admin', 2, 'There is no instrument NOPE'],
  ['event create /dev/null --key admin', 2, 'Cannot read /dev/null: Unexpected end of JSON input'],
  ['event close NOPE --yes --key admin', 2, 'There is no instrument NOPE'],
  [
    'event resolve 100000 x --yes --key admin',
    2,
    'Invalid <fraction> "x". Use a number from 0 to 1.',
  ],
  [
    'gate allow 0x12 --key admin',
    2,
    'Invalid <address...> "0x12". Use 0x followed by 40 hex digits for each address.',
  ],
  ['gate set open --key main', 3, 'Signer is not permitted to send venueAdmin'],
  [
    'operators remove kings 0x12 --key admin',
    2,
    'Invalid <role> "kings". Use admins or deployers.',
  ],
  ['fees set /dev/null --key admin', 2, 'Cannot read /dev/null: Unexpected end of JSON input'],
  ['replay /nowhere --to 1.5', 2, 'Invalid --to "1.5"'],
  ['snapshot --operations moon', 2, 'Invalid --operations "moon". Use a URL.'],
  ['dev --port x', 2, '--port must be a whole number from 0 to 65535: x'],
  ['order buy', 2, "missing required argument 'size'"],
  ['order up 1 BTC --key main', 2, 'Allowed choices are buy, sell.'],
  ['order buy 1 NOPE --key main', 2, 'There is no instrument NOPE. Perps: BTC-USDC'],
  [
    'order buy 1 BTC --slippage 200 --key main',
    2,
    'Invalid --slippage "200". Use a percentage from 0 to 99.',
  ],
  ['order buy 0.000001 BTC --price 97000 --key main', 3, 'size'],
  ['order buy 1 BTC --tif Fok --key main', 2, 'Allowed choices are Gtc, Alo, Ioc'],
  ['cancel BTC x --key main', 2, 'Invalid [order-id] "x"'],
  ['withdraw 1 --key main', 3, 'Below minimum withdraw amount'],
  ['positions --key missing', 5, 'No key named "missing"'],
  ['positions', 5, 'There are several keys and no default. Choose a key with --key'],
  ['keys new main', 5, 'A key named "main" already exists'],
  ['keys import other', 5, '0x followed by 64 hex digits', { ODDLOT_PRIVATE_KEY: '0x12' }],
  ['keys import other', 2, 'Set ODDLOT_PRIVATE_KEY'],
  ['cancel --key main', 5, 'Wrong password for "main"', { ODDLOT_PASSWORD: 'not this one' }],
  ['watch', 2, 'Pass either an instrument or --account'],
  ['watch NOPE', 2, 'There is no instrument NOPE'],
  ['watch --account 0x12', 2, 'Invalid address "0x12"'],
  ['event close BTC --yes --key admin', 2, 'BTC-USDC is a perp'],
  ['watch BTC --levels none', 2, 'Invalid --levels "none"'],
  ['market change BTC --key admin', 2, 'Nothing to change'],
  ['market change NOPE --tick 1 --key admin', 2, 'There is no instrument NOPE'],
  ['market change BTC --tick x --key admin', 2, 'Invalid --tick "x". Use a decimal number.'],
  ['market change BTC --tick 1 --key main', 3, 'Signer is not permitted to send venueAdmin'],
  ['market delist BTC --key admin', 2, 'Delisting BTC is final. Confirm with --yes.'],
  ['market halt BTC --key main', 3, 'Signer is not permitted to send venueAdmin'],
  ['event create /nowhere.json --key admin', 2, '/nowhere.json: ENOENT'],
  ['event resolve 100000 1 --key admin', 2, 'Resolving 100000 is final. Confirm with --yes'],
  ['event resolve 100000 2 --yes --key admin', 3, ''],
  [
    'gate set wide --key admin',
    2,
    'Invalid <mode> "wide". Use one of open, whitelist, accessCode, closed.',
  ],
  [
    'gate bar 0x12 --key admin',
    2,
    'Invalid <address...> "0x12". Use 0x followed by 40 hex digits for each address.',
  ],
  ['operators add kings 0x12 --key admin', 2, 'Invalid <role> "kings". Use admins or deployers.'],
  ['fees set /nowhere.json --key admin', 2, '/nowhere.json: ENOENT'],
  ['backup /nowhere /nowhere-else', 2, '/nowhere is not a data folder: it has no journal'],
  ['replay /nowhere --to 5', 2, 'Cannot read the log in /nowhere up to block 5'],
  ['replay /nowhere --to x', 2, 'Invalid --to "x"'],
  ['restore /nowhere /nowhere-else', 2, '/nowhere is not a backup'],
  ['completion csh', 2, 'Allowed choices are bash, zsh, fish.'],
  ['dev --accounts many', 2, 'Invalid --accounts. Use a whole number from 0 to 100.'],
])('`oddlot %s` exits with %i and a message', async (line, code, why, env) => {
  const before = venue.head.hash;
  const ended = await oddlot(line, env);
  expect(ended).toMatchObject({ code, out: '', err: expect.stringContaining(why) });
  expect(venue.head.hash).toBe(before);
  // Errors name the command's arguments instead of its request's fields.
  if (!line.startsWith('event create')) expect(ended.err).not.toMatch(/Wrong type|\[\d+\]\.?/);
  // With --json, the same result is one JSON object.
  if (line.startsWith('--key')) return;
  const json = await oddlot(`${line} --json`, env);
  expect(json).toMatchObject({ code, out: '' });
  const { error } = JSON.parse(json.err);
  expect(error).toMatchObject({ exitCode: code, message: expect.stringContaining(why) });
});

test('cancelling an unknown order is rejected, and a rejected agent leaves no key', async () => {
  const cancelled = await oddlot('cancel BTC 999999 --key main --json');
  expect(cancelled).toMatchObject({ code: 3, out: '' });
  expect(JSON.parse(cancelled.err).error.message).toContain('Order was never placed');
  const before = (await oddlot('keys list --json')).out;
  await oddlot('keys import outsider', { ODDLOT_PRIVATE_KEY: `0x${'77'.repeat(32)}` });
  const approved = await oddlot('agents approve helper --key outsider');
  expect(approved).toMatchObject({ code: 3, err: 'Please deposit first\n' });
  const names = JSON.parse((await oddlot('keys list --json')).out).map(
    ({ name }: { name: string }) => name,
  );
  expect(names).toEqual([
    ...JSON.parse(before).map(({ name }: { name: string }) => name),
    'outsider',
  ]);
});

function listedIn(help: string): readonly string[] {
  const [, listed = ''] = /\nCommands:\n(.*?)(?:\n\n|$)/s.exec(help) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name!);
  return names.filter((name) => name !== 'help');
}

/** These programs parse all arguments after their name themselves. */
const PROGRAMS = ['start', 'relay', 'validator', 'bridge', 'verify', 'rebuild-history'];

test('every command rejects unknown options and missing or surplus arguments', async () => {
  const paths = listedIn((await oddlot('--help')).out).filter((name) => !PROGRAMS.includes(name));
  const before = venue.head.hash;
  let tried = 0;
  for (const path of paths) {
    const { out } = await oddlot(`${path} --help`);
    const inner = listedIn(out).map((name) => `${path} ${name}`);
    if (inner.length > 0) {
      // The loop checks subcommands later.
      paths.push(...inner);
      continue;
    }
    const [usage = ''] = out.split('\n');
    const must = [...usage.matchAll(/<[a-z.-]+>/g)].length;
    const may = [...usage.matchAll(/\[(?!options\])[a-z.-]+\]/g)].length;
    const words = (count: number): string => ' word'.repeat(count);
    const wrong = [`${path}${words(must)} --moon`];
    if (!usage.includes('...')) wrong.push(`${path}${words(must + may + 1)}`);
    if (must > 0) wrong.push(`${path}${words(must - 1)}`);
    for (const line of wrong) {
      const ended = await oddlot(line);
      expect([line, ended.code, ended.out]).toEqual([line, 2, '']);
      expect(ended.err).toMatch(
        /unknown option|too many arguments|missing required arg|required option/,
      );
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(80);
  expect(venue.head.hash).toBe(before);
});

test('an unreachable venue gives exit code 4, and a JSON error with --json', async () => {
  const ended = await oddlot('status --json', { ODDLOT_URL: 'http://127.0.0.1:9' });
  expect(ended).toMatchObject({ code: 4, out: '' });
  expect(JSON.parse(ended.err)).toMatchObject({ error: { exitCode: 4 } });
}, 60_000);

test('verifying the settlement of an unknown market is a usage error', async () => {
  const lines: string[] = [];
  const args = ['--instrument', '999999', '--url', venue.url];
  expect(await runVerifyResolution(args, (line) => lines.push(line))).toBe(2);
  expect(lines).toEqual([expect.stringContaining('Instrument not found')]);
});
