import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OddlotCommand, PASSWORD } from '../support/oddlot-command.ts';

/**
 * Goal: `oddlot mcp` works the way its users run it. Method: the protocol's own client starts the
 * command as a process.
 */

const MAIN = join(import.meta.dirname, '../../packages/cli/src/main.ts');

let venue: TestVenue;
const command = new OddlotCommand(() => venue.url);
let user: string;
beforeAll(async () => {
  venue = await startVenue({ ports: true, time: Date.now() });
  await venue.fillBook('BTC-USDC');
  ({ address: user } = await command.json<{ address: string }>('keys new main'));
  await command.cheapen('main');
  await venue.fund(user, { perp: '10000' });
  await command.run('agents approve bot');
  await command.cheapen('bot');
});
afterAll(async () => {
  await venue.stop();
  command.remove();
});

const opened: Client[] = [];
afterEach(() => Promise.all(opened.splice(0).map((client) => client.close())));

async function connect(line: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...line.split(' ').filter((each) => each !== '')],
    env: {
      ...(process.env as Record<string, string>),
      ODDLOT_HOME: command.home,
      ODDLOT_PASSWORD: PASSWORD,
      ODDLOT_URL: venue.url,
    },
  });
  await client.connect(transport);
  opened.push(client);
  return client;
}

type Result = {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
};

async function call(client: Client, name: string, input: object = {}) {
  const result = (await client.callTool({ name, arguments: { ...input } })) as unknown as Result;
  return { isError: result.isError === true, text: result.content[0]!.text };
}

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

const TRADE = '--tier trade --key bot --max-order 500 --max-day 900';
const ORDER = { instrument: 'BTC', side: 'buy', size: '0.004', price: '90000' };

describe('oddlot mcp serves tools by tier', () => {
  test('with no tier, the server offers only market data and needs no key', async () => {
    const client = await connect('');
    const names = await namesOf(client);
    expect(names).toContain('get_order_book');
    expect(names.filter((name) => /order$|account|fills/.test(name))).toEqual([]);
    const book = JSON.parse((await call(client, 'get_order_book', { instrument: 'BTC' })).text);
    expect(book.levels[0].length).toBeGreaterThan(0);
  });

  test('each tier also offers the tools of the tiers below it', async () => {
    const account = await namesOf(await connect('--tier account --key bot'));
    const simulate = await namesOf(await connect('--tier simulate --key bot'));
    const trade = await namesOf(await connect(TRADE));
    expect(account).toContain('get_account');
    expect(account).not.toContain('simulate_order');
    expect(simulate).toEqual(expect.arrayContaining([...account, 'simulate_order']));
    expect(simulate).not.toContain('place_order');
    expect(trade).toEqual(expect.arrayContaining([...simulate, 'place_order', 'cancel_order']));
  });

  test('no tool accepts a key or moves funds', async () => {
    const client = await connect(TRADE);
    for (const { inputSchema, name } of (await client.listTools()).tools) {
      expect(name).not.toMatch(/withdraw|transfer|send|agent|approve|margin|key/);
      const fields = Object.keys(inputSchema.properties ?? {});
      expect(fields.filter((field) => /key|password|secret|signature/i.test(field))).toEqual([]);
    }
  });

  test('a simulated order has no effect', async () => {
    const client = await connect('--tier simulate --key bot');
    const { isError, text } = await call(client, 'simulate_order', ORDER);
    expect(isError).toBe(false);
    expect(JSON.parse(text).accepted).toBe(true);
    expect(await venue.client().info.frontendOpenOrders({ user })).toEqual([]);
  });

  test("an agent places, amends and cancels its account's orders", async () => {
    const client = await connect(TRADE);
    const placed = JSON.parse((await call(client, 'place_order', ORDER)).text);
    const { oid, state } = placed.orders[0];
    expect(state).toBe('open');
    const change = { instrument: 'BTC', orderId: oid, price: '90000', size: '0.003' };
    expect((await call(client, 'amend_order', change)).isError).toBe(false);
    const open = JSON.parse((await call(client, 'get_open_orders')).text);
    expect(open.perps).toMatchObject([{ oid, sz: '0.003' }]);
    expect((await call(client, 'cancel_order', { instrument: 'BTC', orderId: oid })).isError).toBe(
      false,
    );
    expect(await venue.client().info.frontendOpenOrders({ user })).toEqual([]);
  });

  test('an order above the per-order limit is not sent', async () => {
    const client = await connect(TRADE);
    const { isError, text } = await call(client, 'place_order', { ...ORDER, size: '0.006' });
    expect(isError).toBe(true);
    expect(text).toContain('exceeds the limit: 500 USDC (--max-order)');
    expect(await venue.client().info.frontendOpenOrders({ user })).toEqual([]);
  });

  test('the daily limit counts orders from an earlier run, but not rejected orders', async () => {
    // The previous test has used 360 + 270 of the 900 USDC.
    const client = await connect(TRADE);
    const used = async () => JSON.parse((await call(client, 'get_limits')).text).used;
    expect(await used()).toBe('630');
    const rejected = await call(client, 'place_order', {
      ...ORDER,
      size: '0.002',
      price: '90000.001',
    });
    expect(rejected).toMatchObject({ isError: true, text: expect.stringContaining('tick') });
    expect(await used()).toBe('630');
    const refused = await call(client, 'place_order', ORDER);
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringContaining('270 USDC left'),
    });
  });

  test.each<[string, object]>([
    ['a low limit price', { price: '20000' }],
    ['a high slippage', { price: undefined, slippage: '99' }],
  ])('the value of a sell with %s is that of the bids which it would match', async (_, fields) => {
    const client = await connect(TRADE);
    const order = { ...ORDER, side: 'sell', size: '0.02', ...fields };
    const { isError, text } = await call(client, 'place_order', order);
    expect([isError, text]).toEqual([true, expect.stringContaining('(--max-order)')]);
    expect((await venue.client().info.clearinghouseState({ user })).assetPositions).toEqual([]);
  });

  test.each([
    ['amend_order', { orderId: 1, price: '-90000' }],
    ['amend_order', { orderId: 1, price: '1e9' }],
    ['place_order', { size: '-0.004' }],
    ['place_order', { price: 'x' }],
  ])(
    '%s with the invalid numbers %j is refused and does not change the limits',
    async (tool, fields) => {
      const client = await connect(TRADE);
      const { side: _, ...amend } = ORDER;
      const input = { ...(tool === 'amend_order' ? amend : ORDER), ...fields };
      const before = await call(client, 'get_limits');
      expect((await call(client, tool, input)).isError).toBe(true);
      expect(await call(client, 'get_limits')).toEqual(before);
    },
  );

  test('a second process for the same account does not start', async () => {
    await connect(TRADE);
    await expect(connect(TRADE)).rejects.toThrow(/closed/i);
  });

  test('the trade tier requires limits', async () => {
    const { code, err } = await command.run('mcp --tier trade --key bot');
    expect([code, err]).toEqual([2, 'The tier trade requires --max-order and --max-day.\n']);
  });
});
