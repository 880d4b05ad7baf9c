import { startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OddlotCommand } from '../support/oddlot-command.ts';

/**
 * Goal: test transfers, leverage, margin, trigger orders and amends in a terminal. Method: run the
 * actual command against a test venue.
 */

let venue: TestVenue;
const command = new OddlotCommand(() => venue.url);
const oddlot = command.run.bind(command);
let user: string;
beforeAll(async () => {
  // Commands derive nonces from the machine's clock.
  venue = await startVenue({ ports: true, time: Date.now() });
  await venue.fillBook('BTC-USDC');
  ({ address: user } = await command.json<{ address: string }>('keys new main'));
  await command.cheapen('main');
  await venue.fund(user, { perp: '10000' });
  await oddlot('agents approve bot');
  await command.cheapen('bot');
});
afterAll(async () => {
  await venue.stop();
  command.remove();
});

async function free(accountType: 'perp' | 'outcome', who = user): Promise<string> {
  const { withdrawable } = await venue.client().info.clearinghouseState({ user: who, accountType });
  return withdrawable;
}

type Order = { readonly oid: number; readonly limitPx: string; readonly origSz: string };
type Orders = { readonly perps: Order[]; readonly triggers: (Order & { triggerPx: string })[] };

const orderId = (out: string): string => /order (\d+)/.exec(out)![1]!;

test('USDC can be transferred between sub-accounts and to another account', async () => {
  expect(await oddlot('transfer 100 --to outcome')).toEqual({
    code: 0,
    out: 'Moved 100 USDC from perp to outcome\n',
    err: '',
  });
  expect([await free('perp'), await free('outcome')]).toEqual(['9900', '100']);
  expect(await command.json('transfer 25.5 --to perp')).toMatchObject({ status: 'executed' });
  expect([await free('perp'), await free('outcome')]).toEqual(['9925.5', '74.5']);
  const friend = `0x${'5e'.repeat(20)}`;
  expect((await oddlot(`send 10 ${friend}`)).out).toBe(`Sent 10 USDC to ${friend}\n`);
  await command.json(`send 4.5 ${friend} --from outcome --to outcome`);
  expect([await free('perp', friend), await free('outcome', friend)]).toEqual(['10', '4.5']);
  expect([await free('perp'), await free('outcome')]).toEqual(['9915.5', '70']);
});

test('leverage, margin mode and position mode can be set, also by an agent', async () => {
  const shown = async () => {
    const { leverage } = await venue.client().info.activeAssetData({ user, coin: '3' });
    return leverage;
  };
  expect((await oddlot('leverage SOL 7 --key bot')).out).toBe('SOL-USDC leverage set to 7x\n');
  expect(await shown()).toMatchObject({ type: 'Cross', value: 7 });
  expect((await oddlot('margin-mode SOL isolated')).out).toBe(
    'SOL-USDC margin mode set to isolated\n',
  );
  await command.json('leverage SOL 3 --mode isolated');
  expect(await shown()).toMatchObject({ type: 'Isolated', value: 3 });
  await command.json('margin-mode SOL cross');
  expect(await shown()).toMatchObject({ type: 'Cross', value: 7 });
  expect((await oddlot('position-mode hedge')).out).toBe('Position mode set to hedge\n');
  await command.json('leverage SOL 4 --mode isolated --side short');
  await command.json('position-mode one-way');
});

test('margin can be added to an isolated position and removed from it', async () => {
  await oddlot('margin-mode BTC isolated');
  await oddlot('order buy 0.01 BTC');
  const margin = async () => {
    const { assetPositions } = await venue.client().info.clearinghouseState({ user });
    return Number(assetPositions[0]!.position.marginUsed);
  };
  const before = await margin();
  expect((await oddlot('margin add BTC 100')).out).toBe('Added 100 USDC to the BTC-USDC margin\n');
  expect((await margin()) - before).toBeCloseTo(100, 6);
  await command.json('margin remove BTC 20.25');
  expect((await margin()) - before).toBeCloseTo(79.75, 6);
  await oddlot('order sell 0.01 BTC --reduce-only');
  await oddlot('margin-mode BTC cross');
});

test("an open order's price and size can be amended, also by an agent", async () => {
  const id = orderId((await oddlot('order buy 0.01 BTC --price 90000')).out);
  expect((await oddlot(`amend BTC ${id} --price 91000`)).out).toBe(
    `open: order ${id} on BTC-USDC\n`,
  );
  await command.json(`amend BTC ${id} --size 0.02 --key bot`);
  const { perps } = await command.json<Orders>('orders');
  expect(perps).toMatchObject([{ oid: Number(id), limitPx: '91000', origSz: '0.02' }]);
  expect(await oddlot('cancel BTC --all')).toMatchObject({ code: 0 });
  expect((await command.json<Orders>('orders')).perps).toEqual([]);
});

test('a trigger order waits for the mark, is listed, and can be cancelled by its id', async () => {
  const placed = await oddlot('trigger buy 0.01 BTC --type sl --trigger 105000 --open');
  expect(placed).toMatchObject({ code: 0, out: expect.stringMatching(/^open: order \d+ on BTC/) });
  const { triggers } = await command.json<Orders>('orders');
  expect(triggers).toMatchObject([{ oid: Number(orderId(placed.out)), triggerPx: '105000' }]);
  expect((await oddlot('orders')).out).toMatch(/BTC\S* +buy +0\.01 +\S+ +105000/);
  await oddlot(`cancel BTC ${orderId(placed.out)}`);
  expect((await oddlot('orders')).out).toBe('No orders\n');
});

test('TP/SL can be set along with an order or for a position, listed and removed', async () => {
  const bought = await oddlot('order buy 0.01 BTC --tp 110000 --sl 90000');
  expect(bought.out.split('\n')).toEqual([
    expect.stringMatching(/^filled: order \d+ on BTC-USDC, 0\.01 at /),
    expect.stringMatching(/^open: order \d+ on BTC-USDC$/),
    expect.stringMatching(/^open: order \d+ on BTC-USDC$/),
    '',
  ]);
  const { triggers } = await command.json<Orders>('orders');
  expect(triggers.map(({ triggerPx }) => triggerPx).toSorted()).toEqual(['110000', '90000']);
  await oddlot('cancel');
  expect(await oddlot('tpsl BTC --tp 112000 --sl 88000 --sl-price 87000 --key bot')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^open: .*\nopen: .*\n$/),
  });
  const { out } = await oddlot('orders');
  expect(out).toMatch(/sell +\S+ +\S+ +112000/);
  const [, stop] = /(\d+) +BTC\S* +sell +\S+ +87000 +88000/.exec(out) ?? [];
  await oddlot(`cancel BTC ${stop}`);
  expect((await oddlot('orders')).out).not.toContain('88000');
  await oddlot('order sell 0.01 BTC --reduce-only');
  expect((await oddlot('orders')).out).toBe('No orders\n');
  expect((await oddlot('positions')).out).toMatch(/^No positions/);
});

test('a scheduled cancel runs on time and can be removed', async () => {
  await oddlot('order buy 0.01 BTC --price 90000');
  expect((await oddlot('schedule-cancel 30')).out).toMatch(
    /^All orders will be cancelled at 20\d\d-.*Z\n$/,
  );
  expect((await oddlot('schedule-cancel --off')).out).toBe('Scheduled cancellation removed\n');
  await venue.advance('1m');
  expect((await command.json<Orders>('orders')).perps).toHaveLength(1);
  await command.json('schedule-cancel 10');
  await venue.advance('15s');
  expect((await command.json<Orders>('orders')).perps).toEqual([]);
});

test.each<[line: string, code: number, why: string]>([
  ['transfer x --to perp', 2, 'Invalid <amount> "x". Use a USDC amount'],
  ['transfer 5', 2, "required option '--to <sub-account>' not specified"],
  ['transfer 5 --to bank', 2, 'Allowed choices are perp, outcome.'],
  ['transfer 999999 --to outcome', 3, 'Insufficient balance'],
  ['transfer 5 --to outcome --key bot', 5, 'Key "bot" is an agent key of 0x'],
  [`send 5 0x${'5e'.repeat(20)} --key bot`, 5, "This command requires the account's own key"],
  ['withdraw 5 --key bot', 5, "This command requires the account's own key"],
  ['agents approve other --key bot', 5, "This command requires the account's own key"],
  ['send x 0x12', 2, 'Invalid <a'],
  ['send 5 0x12', 2, 'Invalid <address> "0x12". Use 0x followed by 40 hex digits.'],
  [`send 5 0x${'0'.repeat(40)}`, 3, 'Invalid address'],
  [`send 999999 0x${'5e'.repeat(20)}`, 3, 'Insufficient balance'],
  ['leverage BTC x', 2, 'Invalid <leverage> "x". Use a whole number above zero.'],
  ['leverage BTC 1000', 3, ''],
  ['leverage NOPE 5', 2, 'There is no instrument NOPE'],
  ['leverage BTC 5 --mode half', 2, 'Allowed choices are cross, isolated.'],
  ['margin-mode BTC half', 2, 'Allowed choices are cross, isolated.'],
  ['position-mode both', 2, 'Allowed choices are one-way, hedge.'],
  ['margin add BTC x', 2, 'Invalid <amount> "x". Use a USDC amount above zero'],
  ['margin add BTC 5', 3, ''],
  ['margin', 2, 'Missing command'],
  ['amend BTC 5', 2, 'Nothing to change. Use --price, --size or both.'],
  ['amend BTC x --price 5', 2, 'Invalid <order-id> "x"'],
  ['amend BTC 999999 --price 90000', 3, 'No open order 999999 on BTC-USDC'],
  ['trigger sell 0.01 BTC --type sl', 2, "required option '--trigger <price>' not specified"],
  ['trigger sell x BTC --type sl --trigger 90000', 2, 'Invalid <size> "x". Use a decimal number.'],
  ['trigger sell 0.01 BTC --type sl --trigger x', 2, 'Invalid --trigger "x"'],
  ['trigger sell 0.01 BTC --type stop --trigger 5', 2, 'Allowed choices are tp, sl.'],
  ['tpsl BTC', 2, 'Nothing to set. Use --tp, --sl or both.'],
  ['tpsl BTC --tp-price 5', 2, '--tp-price needs a trigger price. Add --tp'],
  ['tpsl BTC --sl 90000', 3, 'No matching position in BTC-USDC'],
  ['order buy 0.01 BTC --tp x', 2, 'Invalid --tp "x". Use a decimal number.'],
  ['schedule-cancel', 2, 'Use either [seconds] or --off.'],
  ['schedule-cancel 30 --off', 2, 'Use either [seconds] or --off.'],
  ['schedule-cancel 9', 2, 'Invalid [seconds] "9". Use 10 or more.'],
])(
  '`oddlot %s` exits with %i and reports the error as text and as JSON',
  async (line, code, why) => {
    const withKey = line.includes('--key') ? line : `${line} --key main`;
    const ended = await oddlot(withKey);
    expect(ended).toMatchObject({ code, out: '', err: expect.stringContaining(why) });
    expect(ended.err).not.toMatch(/Wrong type|Missing field|\[\d+\]/);
    const json = await oddlot(`${withKey} --json`);
    expect(json).toMatchObject({ code, out: '' });
    expect(JSON.parse(json.err)).toMatchObject({ error: { exitCode: code } });
  },
);

test('an outcome market has no leverage, margin or TP/SL', async () => {
  await venue.createMarket({ slug: 'rain', event: { slug: 'rain-event' } });
  for (const line of [
    'leverage rain 5',
    'margin-mode rain cross',
    'margin add rain 5',
    'tpsl rain --tp 0.5',
    'trigger buy 5 rain --type tp --trigger 0.5',
  ]) {
    expect(await oddlot(`${line} --key main`)).toMatchObject({
      code: 2,
      err: 'rain is an outcome market. This command is for perps.\n',
    });
  }
  expect(await oddlot('order buy 5 rain --price 0.5 --tp 0.6 --key main')).toMatchObject({
    code: 2,
    err: 'rain is an outcome market. TP/SL is available on perps only.\n',
  });
});

test('the help of the new commands has examples, and the guide lists the commands', async () => {
  const { readFileSync } = await import('node:fs');
  const guide = readFileSync(new URL('../../docs/build/cli.md', import.meta.url), 'utf8');
  const names =
    'transfer send leverage margin-mode position-mode tpsl trigger amend schedule-cancel';
  for (const name of names.split(' ')) {
    const { code, out } = await oddlot(`${name} --help`);
    expect([name, code]).toEqual([name, 0]);
    expect(out).toMatch(new RegExp(`Examples?:\n  oddlot ${name} `));
    expect([name, guide.includes(`\`${name}`)]).toEqual([name, true]);
  }
});
