import { readFileSync } from 'node:fs';
import { SubscriptionClient, WebSocketTransport } from '@nktkas/hyperliquid';
import { API_WS_CHANNELS, WS_CHANNELS } from '@oddlot/protocol';
import { getAddress } from 'viem';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';

/**
 * Runs an unmodified public Hyperliquid client library. Each callback must behave as the guide
 * describes, and where the guide calls a callback silent, its workaround must work.
 */

const world = aSharedVenue();

type Method = Exclude<keyof SubscriptionClient, 'config_'>;
type Listen = (params: object, listener: (data: Json) => void) => Promise<unknown>;
type Row = { readonly methods: readonly string[]; readonly socket: string; readonly does: string };

/** The rows of the table in docs/get-started/coming-from-hyperliquid.md. */
const ROWS: readonly Row[] = readFileSync('docs/get-started/coming-from-hyperliquid.md', 'utf8')
  .split('## @nktkas/hyperliquid')[1]!
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, methods = '', socket = '', does = '']) => ({
    methods: [...methods.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    socket: socket.replaceAll('`', ''),
    does: does.split(/[:,]/)[0] ?? '',
  }));

const listed = (does: string) =>
  ROWS.filter((row) => row.does === does).flatMap(({ methods, socket }) =>
    methods.map((method) => [method, socket] as const),
  );

const transports: WebSocketTransport[] = [];

function connect(path: string, timeout = 5_000): WebSocketTransport {
  const url = world.venue.streams.replace(/\/ws$/, path);
  const transport = new WebSocketTransport({ url, timeout });
  transports.push(transport);
  return transport;
}

function method(transport: WebSocketTransport, name: string): Listen {
  const client = new SubscriptionClient({ transport });
  return (client[name as Method] as unknown as Listen).bind(client);
}

afterEach(async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.close()));
});

/** Returns a method's parameters, which name either an account or an instrument. */
function paramsOf(name: string, { address }: Actor): object {
  if (name.startsWith('explorer')) return {};
  const { coin } = world.btc;
  if (name === 'candle') return { coin, interval: '1m' };
  const isOfUser = /^(user|order|clearinghouse|open|notification|web)/.test(name);
  if (name === 'activeAssetData') return { coin, user: address };
  // The address is checksummed, to test that capitalisation is ignored.
  return isOfUser ? { user: getAddress(address) } : { coin };
}

/** Causes an event on every channel in the table. */
async function happen(alice: Actor, bob: Actor): Promise<void> {
  const { btc } = world;
  const trade = { market: btc, price: btc.at(0), size: btc.worth(20) };
  await bob.placed({ ...trade, side: 'sell' });
  await alice.placed({ ...trade, side: 'buy' });
}

let alice: Actor;
let bob: Actor;
beforeAll(async () => {
  [alice, bob] = [await world.resident('alice'), await world.resident('bob')];
});

describe('an unmodified Hyperliquid library works as the guide describes', () => {
  test('the guide lists every method exactly once', () => {
    const names = ROWS.flatMap(({ methods }) => methods);
    expect(new Set(names).size).toBe(names.length);
    const client = new SubscriptionClient({ transport: connect('/ws') });
    for (const name of names) expect(client[name as Method], name).toBeTypeOf('function');
  });

  test.each(listed('works'))('%s of %s receives callbacks', async (name, socket) => {
    const received: Json[] = [];
    await method(connect(socket), name)(paramsOf(name, alice), (data) => received.push(data));
    await happen(alice, bob);
    await eventually(() => expect(received.length, name).toBeGreaterThan(0));
  });

  test.each(listed('silent'))(
    '%s of %s is silent even though frames arrive',
    async (name, socket) => {
      const transport = connect(socket);
      const received: Json[] = [];
      await method(transport, name)(paramsOf(name, alice), (data) => received.push(data));
      const [seen, other] = [[] as Json[], connect(socket)];
      const params = { type: name, ...paramsOf(name, alice) };
      await other.subscribe(name, params, ({ detail }) => seen.push(detail));
      await happen(alice, bob);
      await eventually(() => expect(seen.length, name).toBeGreaterThan(0));
      const { name: instrument } = world.btc;
      const frame = Array.isArray(seen[0]) ? seen[0][0] : seen[0];
      // Frames about an instrument include its name.
      if ('coin' in params) expect([frame.coin, frame.s]).toContain(instrument);
      expect(received, `${name} calls back now: correct the guide`).toEqual([]);
    },
  );

  test('unsupported methods time out, because their channels do not exist', async () => {
    const names = listed('not supported').map(([name]) => name);
    expect(names).not.toEqual([]);
    // The library ignores the error frame and waits for its own timeout.
    const transport = connect('/ws', 500);
    const asked = names.map((name) =>
      method(transport, name)(paramsOf(name, alice), () => undefined),
    );
    const answers = await Promise.allSettled(asked);
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 'rejected'));
    const channels = Object.keys({ ...WS_CHANNELS, ...API_WS_CHANNELS });
    expect(names.filter((name) => channels.includes(name))).toEqual([]);
  });
});

test("l2Book accepts the library's null fields, and unsubscribing works", async () => {
  const client = new SubscriptionClient({ transport: connect('/ws') });
  const { coin } = world.btc;
  const book = await client.l2Book({ coin }, () => undefined);
  await book.unsubscribe();
  // If unsubscribing had failed, this subscription would be a duplicate.
  await client.l2Book({ coin }, () => undefined);
});
