import { afterEach, describe, expect, test } from 'vitest';
import { createClient, type Client, type ClientOptions } from './client.ts';
import { privateKeyWallet } from './wallet.ts';
import { FakeVenue, type Answer } from '@oddlot/testing/sdk/fake-venue';

const NAME = 'example.org-3fa9c1d2';
const reporting = (service_network: string): Answer => ({
  body: { success: true, code: 0, data: { service_network, chain_id: 869, api_version: 1 } },
});
const data = { type: 'Any', data: { statuses: ['success'] } };
const OK: Answer = { body: { status: 'ok', code: 0, data } };
const wallet = privateKeyWallet(`0x${'11'.repeat(32)}`);

const running: FakeVenue[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((venue) => venue.stop()));
});

async function aVenue(...script: Answer[]): Promise<FakeVenue> {
  const venue = await FakeVenue.start(...script);
  running.push(venue);
  return venue;
}

/** Creates a client for a public venue. */
function clientElsewhere(venue: FakeVenue, options: Partial<ClientOptions> = {}): Client {
  const url = 'https://api.example.org';
  const reached: typeof fetch = (input, init) => fetch(String(input).replace(url, venue.url), init);
  return createClient({ url, fetch: reached, wallet, ...options });
}

const asked = (venue: FakeVenue): string[] => venue.received.map(({ path }) => path);
const lastAction = (venue: FakeVenue): unknown =>
  JSON.parse(venue.received.at(-1)?.text ?? '').action;
const agent = { agentAddress: `0x${'22'.repeat(20)}` };

describe('a client requests the network name from a venue on the local machine', () => {
  test('a client requests the network name from a local venue once', async () => {
    const venue = await aVenue(reporting(NAME), OK);
    const client = createClient({ url: venue.url, wallet });
    await Promise.all([client.exchange.approveAgent(agent), client.exchange.cancelAll({})]);
    await client.exchange.approveAgent(agent);
    expect(asked(venue)).toEqual(['/info', '/exchange', '/exchange', '/exchange']);
    expect(lastAction(venue)).toMatchObject({ serviceNetwork: NAME, chainId: 869, apiVersion: 1 });
    expect(await client.network()).toEqual({ serviceNetwork: NAME, chainId: 869, apiVersion: 1 });
  });

  test('a client retries a failed request for the network name', async () => {
    const fault = { body: { success: false, code: 10500, message: 'no' } };
    const venue = await aVenue(fault, reporting(NAME), OK);
    const { exchange } = createClient({ url: venue.url, wallet });
    await expect(exchange.approveAgent(agent)).rejects.toThrow('no');
    await exchange.approveAgent(agent);
    expect(asked(venue)).toEqual(['/info', '/info', '/exchange']);
  });

  test.each([
    'http://localhost:1',
    'http://venue.localhost',
    'http://127.9.9.9',
    'http://[::1]:8690',
  ])('a client of %s does not need a network name', (url) => {
    expect(() => createClient({ url, wallet })).not.toThrow();
  });
});

describe('a client of a venue on another machine requires a network name', () => {
  test('a client that signs needs a network name, and a read-only client does not', async () => {
    const venue = await aVenue(reporting(NAME));
    expect(() => clientElsewhere(venue)).toThrow(
      'Pass the network name of the venue at https://api.example.org',
    );
    const reader = clientElsewhere(venue, { wallet: undefined });
    expect(await reader.info.settings()).toMatchObject({ service_network: NAME });
    await expect(reader.network()).rejects.toThrow('Pass the network name');
  });

  test.each(['https://127.0.0.1.example.org', 'https://localhost.example.org', 'http://10.0.0.1'])(
    '%s is not a local venue, so a client that signs needs a network name',
    (url) => {
      expect(() => createClient({ url, wallet })).toThrow('Pass the network name');
    },
  );

  test('a client signs for the given network name', async () => {
    const venue = await aVenue(reporting(NAME), OK);
    await clientElsewhere(venue, { network: NAME }).exchange.approveAgent(agent);
    expect(lastAction(venue)).toMatchObject({ serviceNetwork: NAME, chainId: 869 });
  });

  test('a client does not sign requests for a venue with another network name', async () => {
    const venue = await aVenue(reporting('example.org-00000000'));
    const { exchange } = clientElsewhere(venue, { network: NAME });
    await expect(exchange.approveAgent(agent)).rejects.toThrow(
      `is example.org-00000000, but this client signs for ${NAME} only. Nothing was signed`,
    );
    await expect(exchange.cancelAll({})).rejects.toThrow('Nothing was signed');
    expect(asked(venue)).toEqual(['/info', '/info']);
  });

  test('a client that has all network constants does not query the settings', async () => {
    const venue = await aVenue(OK);
    const network = { serviceNetwork: NAME, chainId: 869, apiVersion: 1 };
    await clientElsewhere(venue, { network }).exchange.approveAgent(agent);
    await clientElsewhere(venue, { network: 'testnet' }).exchange.approveAgent(agent);
    expect(asked(venue)).toEqual(['/exchange', '/exchange']);
  });

  test.each(['mainnet', 'example.org', 'example.org-3FA9C1D2', ''])(
    '%j is not a valid network name of a venue',
    async (network) => {
      const venue = await aVenue(OK);
      expect(() => clientElsewhere(venue, { network })).toThrow(/^Unknown network: /);
    },
  );
});
