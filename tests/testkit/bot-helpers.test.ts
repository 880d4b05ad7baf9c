import {
  AccountView,
  ApiError,
  checkNetwork,
  followFills,
  Instruments,
  limitOrder,
  LocalBook,
  marketOrder,
  newCloid,
  onGrid,
  Pacer,
  placeOrders,
  previewAction,
  privateKeyWallet,
  SigningError,
  signAction,
  createHasher,
  waitForOrder,
  type FillsCursor,
  type FollowedFill,
} from '@oddlot/sdk';
import { startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

/** Goal: the SDK's helpers for bots work with a venue, across resets and restarts. */

const BTC = 1;
let venue: TestVenue;
let fresh: Awaited<ReturnType<TestVenue['snapshot']>>;
let instruments: Instruments;
const trader = () => venue.accounts[0]!;
const buy = (price: string, cloid?: string) =>
  limitOrder({ asset: BTC, side: 'buy', price, size: '0.1', cloid });

beforeAll(async () => {
  venue = await startVenue();
  await venue.fillBook('BTC-USDC');
  instruments = await Instruments.load(trader().client);
  fresh = await venue.snapshot();
});
beforeEach(() => venue.revert(fresh));
afterAll(() => venue.stop());

describe('instrument names and numbers are formatted for the API', () => {
  test('the helpers format the names and numbers of perps and outcome markets', async () => {
    const btc = await instruments.find('btc');
    expect(btc).toMatchObject({ id: BTC, name: 'BTC-USDC', isOutcome: false });
    expect(await instruments.find(BTC)).toBe(btc);
    const { id, slug } = await venue.createMarket();
    const market = await instruments.find(slug);
    expect(market).toMatchObject({ id, name: slug, isOutcome: true });
    expect(instruments.known(id)).toBe(market);
    await expect(instruments.find('DOGE')).rejects.toThrow('Unknown instrument DOGE. Perps: BTC');
  });

  test.each([
    ['100.07', '0.05', 'down', '100.05'],
    ['100.07', '0.05', 'up', '100.1'],
    ['100.075', '0.05', 'nearest', '100.1'],
    ['-1.2', '0.5', 'down', '-1.5'],
    ['0.3', '0.1', 'up', '0.3'],
    ['1234', '100', 'nearest', '1200'],
  ] as const)('%s on a grid of %s rounds %s to %s', (value, step, direction, expected) => {
    expect(onGrid(value, step, direction)).toBe(expected);
  });

  test('a step of zero and an invalid number are rejected', () => {
    expect(() => onGrid('1', '0', 'up')).toThrow('above zero');
    expect(() => onGrid('1e3', '1', 'up')).toThrow('Not a decimal number: 1e3');
  });
});

describe('a market order executes within a maximum slippage', () => {
  test.each(['buy', 'sell'] as const)(
    'a market order to %s has a limit that is not worse than the given one',
    async (side) => {
      const { client } = trader();
      const { levels } = await client.info.l2Book({ coin: String(BTC) });
      const best = Number(levels[side === 'buy' ? 1 : 0][0]!.px);
      const instrument = await instruments.find('BTC');
      const order = await marketOrder(client, {
        instrument,
        side,
        size: '0.1',
        slippagePercent: '0.33',
      });
      const bound = side === 'buy' ? best * 1.0033 : best * 0.9967;
      expect(
        side === 'buy' ? bound - Number(order.p) : Number(order.p) - bound,
      ).toBeGreaterThanOrEqual(-1e-6);
      expect(Math.abs(bound - Number(order.p))).toBeLessThan(Number(instrument.priceTick));
      const [placed] = await placeOrders(client, [order]);
      expect(placed!.result).toMatchObject({ state: 'filled', error: null });
    },
  );

  test('a market order is not sent if the other side of the book is empty', async () => {
    const instrument = await instruments.find('SOL');
    const made = marketOrder(trader().client, {
      instrument,
      side: 'buy',
      size: '1',
      slippagePercent: '1',
    });
    await expect(made).rejects.toThrow('There are no asks on SOL-USDC');
  });
});

test('more orders than fit in one action are placed in several, each with its result', async () => {
  const { client, address: user } = trader();
  const orders = Array.from({ length: 120 }, (_, index) => buy(String(50_000 + index * 10)));
  const placed = await placeOrders(client, orders);
  expect(placed.map(({ result }) => result?.state)).toEqual(orders.map(() => 'open'));
  const open = await client.info.frontendOpenOrders({ user });
  expect(open.map(({ limitPx }) => limitPx).sort()).toEqual(orders.map(({ p }) => p).sort());
});

test('waiting for an order resolves whether it ends later or has already ended', async () => {
  const { client, address: user } = trader();
  const [cloid, other] = [newCloid(), newCloid()];
  expect(cloid).toMatch(/^0x[0-9a-f]{32}$/);
  expect(other).not.toBe(cloid);
  await placeOrders(client, [buy('50000', cloid)]);
  const ended = waitForOrder(client, { user, cloid });
  await client.exchange.cancelByCloid(
    { cancels: [{ asset: BTC, cloid }] },
    { confirm: 'executed' },
  );
  expect(await ended).toMatchObject({ status: 'cancelled', filledSz: '0' });
  await venue.settled();
  expect(await waitForOrder(client, { user, cloid })).toMatchObject({ status: 'cancelled' });
  const stop = AbortSignal.abort(new Error('enough'));
  await expect(waitForOrder(client, { user, cloid: other }, { signal: stop })).rejects.toThrow(
    'enough',
  );
});

describe("a local book follows the venue's book", () => {
  test("a local book equals the venue's book after every change and after a cut", async () => {
    const { client } = trader();
    let mismatches = 0;
    const book = new LocalBook(client, BTC, { onMismatch: () => (mismatches += 1) });
    const asked = async () => (await client.info.l2Book({ coin: String(BTC) })).levels;
    const agrees = async () => {
      const [bids, asks] = await asked();
      expect(book.bids.slice(0, bids.length)).toEqual(bids);
      expect(book.asks.slice(0, asks.length)).toEqual(asks);
    };
    await book.ready;
    await expect.poll(() => book.isReady).toBe(true);
    await agrees();
    await placeOrders(client, [buy('90000'), buy('90010')]);
    await expect.poll(() => book.bids.some(({ px }) => px === '90010')).toBe(true);
    await agrees();
    venue.faults.cutStreams();
    await client.exchange.cancelAll({}, { confirm: 'executed' });
    await expect.poll(() => book.isReady && !book.bids.some(({ px }) => px === '90010')).toBe(true);
    await agrees();
    expect(mismatches).toBe(0);
    book.close();
    expect(book.isReady).toBe(false);
  });

  test('a local book starts with the whole book for a second listener that joins later', async () => {
    const { client } = trader();
    const first = new LocalBook(client, BTC);
    await expect.poll(() => first.isReady).toBe(true);
    await placeOrders(client, [buy('90000')]);
    await expect.poll(() => first.bids.some(({ px }) => px === '90000')).toBe(true);
    const second = new LocalBook(client, BTC);
    await expect.poll(() => second.isReady).toBe(true);
    expect(second.bids).toEqual(first.bids);
    expect(second.asks).toEqual(first.asks);
    first.close();
    second.close();
  });
});

test('fills arrive once each and in order, across restarts of both the bot and the venue', async () => {
  const { address: user, client } = trader();
  const instrument = await instruments.find('BTC');
  const trade = async (times: number) => {
    for (let count = 0; count < times; count++) {
      const order = await marketOrder(client, {
        instrument,
        side: 'buy',
        size: '0.01',
        slippagePercent: '5',
      });
      await placeOrders(client, [order]);
      await venue.advance('1s');
    }
    await venue.settled();
  };
  const seen: FollowedFill[] = [];
  /**
   * Runs the bot once. It resumes at the stored cursor and stops after the given number of fills.
   */
  const live = async (cursor: FillsCursor | undefined, count: number) => {
    const bot = venue.client();
    for await (const followed of followFills(bot, { user, cursor })) {
      seen.push(followed);
      if (seen.length >= count) break;
    }
    bot.close();
    return seen.at(-1)?.cursor;
  };
  const begin: FillsCursor = { timeMs: venue.now, tids: [] };
  await trade(3);
  const first = await live(begin, 2);
  await trade(2);
  await venue.restart();
  const rest = live(JSON.parse(JSON.stringify(first)), 8);
  await expect.poll(() => seen.length).toBe(5);
  await trade(3);
  await rest;
  const rows = [];
  for await (const fill of client.info.allUserFills({ user })) rows.push(fill);
  expect(seen.map(({ fill }) => fill)).toEqual(rows.reverse());
});

test('live orders and positions are kept up to date, even after a cut', async () => {
  const { address: user, client } = trader();
  const view = new AccountView(client, { user });
  await view.ready;
  await expect.poll(() => view.isReady).toBe(true);
  const cloid = newCloid();
  await placeOrders(client, [buy('90000', cloid), buy('98000')]);
  await expect.poll(() => [view.orders.length, view.size(BTC)]).toEqual([1, '0.1']);
  expect(view.order({ cloid })).toMatchObject({ limitPx: '90000' });
  venue.faults.cutStreams();
  await client.exchange.cancelAll({}, { confirm: 'executed' });
  await expect.poll(() => view.isReady && view.orders.length === 0).toBe(true);
  expect(view.order({ cloid })).toBeUndefined();
  view.close();
});

describe('pacing delays requests so that they stay within the limits', () => {
  const rateLimit = async () => ({ exchange: { limit: 5, windowMs: 1000 } }) as never;

  test('pacing sends at most as many requests per window as the venue allows, in order', async () => {
    let now = 0;
    const pacer = new Pacer({ info: { rateLimit } }, { share: 0.6, now: () => now });
    const sentAt: number[] = [];
    const turns = [1, 2, 3, 4].map((n) => pacer.turn().then(() => sentAt.push(n)));
    await expect.poll(() => sentAt).toEqual([1, 2, 3]);
    now = 1000;
    await Promise.all(turns);
    expect(sentAt).toEqual([1, 2, 3, 4]);
  });

  test('a cancelled request does not delay the next one', async () => {
    let now = 0;
    const pacer = new Pacer({ info: { rateLimit } }, { share: 0.2, now: () => now });
    await pacer.turn();
    const gaveUp = pacer.turn(AbortSignal.abort(new Error('no more')));
    const next = pacer.turn();
    await expect(gaveUp).rejects.toThrow('no more');
    now = 1000;
    await next;
  });

  test('pacing uses the limits that the venue reports', async () => {
    const limited = await trader().client.info.rateLimit();
    expect(limited.exchange).toMatchObject({
      limit: expect.any(Number),
      windowMs: expect.any(Number),
    });
    await new Pacer(trader().client).turn();
  });
});

test('a dry run shows the data that a wallet would sign, without needing a key', async () => {
  const { client, wallet } = trader();
  const network = await client.network();
  const action = { type: 'order', grouping: 'na', orders: [buy('90000')] } as const;
  const fields = { nonce: venue.now };
  const preview = previewAction({ ...action, orders: [...action.orders] }, fields, network);
  let asked: string | undefined;
  const spy = {
    ...wallet,
    sign: (request: Parameters<typeof wallet.sign>[0]) => {
      asked = `0x${Buffer.from(request.digest).toString('hex')}`;
      expect(request.typedData()).toEqual(preview.typedData);
      return wallet.sign(request);
    },
  };
  const hasher = createHasher(network);
  const signed = await signAction({ ...action, orders: [...action.orders] }, fields, {
    hasher,
    wallet: spy,
  });
  expect(preview.digest).toBe(asked);
  expect(JSON.parse(signed.body).action).toEqual(preview.action);
});

test('a client that signs for another network gets an error with both names', async () => {
  const { client, wallet } = trader();
  await checkNetwork(client);
  const network = { ...(await client.network()), serviceNetwork: 'example.org-3fa9c1d2' };
  const outsider = venue.client(wallet, { network });
  await expect(checkNetwork(outsider)).rejects.toThrow(SigningError);
  await expect(checkNetwork(outsider)).rejects.toThrow(
    'venue is Oddlot-Testnet 2511 1, but this client signs for example.org-3fa9c1d2 2511 1 only',
  );
});

test('a client for the wrong network fails the first time it signs, and one for the right network sends no query', async () => {
  const { client, wallet } = trader();
  const network = { ...(await client.network()), serviceNetwork: 'example.org-3fa9c1d2' };
  const asked: string[] = [];
  const recordingFetch: typeof fetch = (input, init) => {
    asked.push(String(init?.body ?? input));
    return venue.faults.fetch(input as string, init ?? {});
  };
  const settings = (): number => asked.filter((body) => body.includes('"settings"')).length;
  const outsider = venue.client(wallet, { network, fetch: recordingFetch });
  for (let time = 1; time <= 2; time++) {
    const refused = outsider.exchange.cancelAll({});
    await expect(refused).rejects.toThrow(
      'The network name of the venue is Oddlot-Testnet 2511 1, but this client signs for example.org-3fa9c1d2 2511 1 only',
    );
    await expect(refused).rejects.toBeInstanceOf(SigningError);
  }
  expect(settings()).toBe(1);
  const silent = venue.client(wallet, { network, fetch: recordingFetch, checkNetwork: false });
  await expect(silent.exchange.cancelAll({})).rejects.toBeInstanceOf(ApiError);
  const right = venue.client(wallet, { fetch: recordingFetch });
  await right.exchange.cancelAll({}, { confirm: 'executed' });
  expect(settings()).toBe(1);
});

test('the error for an address without an account stays the same if the network is right or cannot be queried', async () => {
  const nobody = privateKeyWallet(`0x${'67'.repeat(32)}`);
  const outsider = venue.client(nobody);
  await expect(outsider.exchange.cancelAll({})).rejects.toMatchObject({ name: 'NO_ACCOUNT' });
  const deaf: typeof fetch = (input, init) =>
    String(init?.body).includes('"settings"')
      ? Promise.resolve(new Response('no', { status: 400 }))
      : venue.faults.fetch(input as string, init ?? {});
  const network = { ...(await outsider.network()), serviceNetwork: 'example.org-3fa9c1d2' };
  const deafClient = venue.client(nobody, { network, fetch: deaf });
  await expect(deafClient.exchange.cancelAll({})).rejects.toMatchObject({ name: 'NO_ACCOUNT' });
});
