import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OddlotCommand, PASSWORD, runOddlot } from '../support/oddlot-command.ts';

/** Goal: orders can be sent with curl. Method: curl sends the printed request to a test venue. */

let venue: TestVenue;
const command = new OddlotCommand(() => venue.url);
beforeAll(async () => {
  venue = await startVenue({ ports: true, time: Date.now() });
  await venue.fillBook('BTC-USDC');
  const { address } = await command.json<{ address: string }>('keys new main');
  await command.cheapen('main');
  await venue.fund(address, { perp: '10000' });
});
afterAll(async () => {
  await venue.stop();
  command.remove();
});

const sign = (...args: string[]) =>
  runOddlot(['sign', ...args], {
    ODDLOT_HOME: command.home,
    ODDLOT_PASSWORD: PASSWORD,
    ODDLOT_URL: venue.url,
  });

async function curl(body: string) {
  const header = 'content-type: application/json';
  const args = ['-s', `${venue.url}/exchange`, '-H', header, '-d', body];
  return JSON.parse((await promisify(execFile)('curl', args)).stdout);
}

const ORDER = {
  type: 'order',
  orders: [{ a: 1, b: true, p: '98000', s: '0.01', r: false, t: { limit: { tif: 'Ioc' } } }],
  grouping: 'na',
};

test('a signed order can be sent with curl and executes once', async () => {
  const { code, out } = await sign(JSON.stringify(ORDER));
  expect(code).toBe(0);
  const reply = await curl(out);
  expect(reply).toMatchObject({ data: { data: { orders: [{ state: 'filled' }] } } });
  expect(await curl(out)).toEqual(reply);
});

test('a signed order expires', async () => {
  const { out } = await sign(JSON.stringify(ORDER), '--expires', '1');
  await venue.advance('1m');
  expect(await curl(out)).toMatchObject({ status: 'err', name: 'EXPIRED' });
});

test.each<[string, string[], string]>([
  ['text that is not JSON', ['order'], 'The action is not valid JSON'],
  ['an action without a type', ['{}'], 'Invalid type undefined of the action. Use order,'],
  ['a transfer', ['{"type":"tokenSend"}'], 'Invalid type "tokenSend"'],
  ['an order without a price', ['{"type":"order","grouping":"na","orders":[{}]}'], 'orders[0]'],
  ['an expiry of an hour and a second', ['{"type":"cancelAll"}', '--expires', '3601'], '--expires'],
])('%s is rejected with the reason', async (_, args, message) => {
  const { code, err, out } = await sign(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});
