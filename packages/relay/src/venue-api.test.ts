import { createServer, type RequestListener } from 'node:http';
import { listen } from '@oddlot/testing/host';
import { NETWORKS, refusal } from '@oddlot/protocol';
import { expect, test } from 'vitest';
import { KEYS } from '@oddlot/testing/relay/relay-rig';
import { venueBy } from '@oddlot/testing/relay/venue-by';
import { VenueApi, VenueUnavailableError } from './venue-api.ts';
import { type Delivered, pegRegistrar, VenueAccount } from './transfers/venue-account.ts';

/**
 * However a failing venue responds, the relay neither executes a request twice nor abandons one too
 * early.
 */

const NOW_MS = 1_800_000_000_000;
const NONCE_MS = 49 * 3_600_000;

/** Delivers a transfer to a venue that sends this response and reports this receipt status. */
async function delivered(
  answer: () => object,
  { status = 'unknown', agesMs = 0 } = {},
): Promise<{ readonly requests: readonly string[]; readonly result: Delivered }> {
  const requests: string[] = [];
  let nowMs = NOW_MS;
  const api = venueBy(async (path) => {
    requests.push(path);
    return path === '/exchange' ? answer() : { success: true, data: { status } };
  });
  const network = NETWORKS.testnet;
  const account = new VenueAccount({ key: KEYS.key('peg'), api, network, now: () => nowMs });
  const send = await account.signRelease();
  nowMs += agesMs;
  return { result: await account.deliver(send), requests };
}

const refused =
  (error: ReturnType<typeof refusal>, init: ResponseInit = {}) =>
  (): Response => {
    const { code, details, message, name } = error;
    return Response.json({ status: 'err', code, name, message, details }, init);
  };

test('the receipt is queried immediately, and only once if the venue is busy or unavailable', async () => {
  const answers: readonly (() => object)[] = [
    refused(refusal('nonceTooFar', [])),
    refused(refusal('unavailable', []), { status: 503, headers: { 'retry-after': '9' } }),
    refused(refusal('unavailable', []), { status: 500 }),
    refused(refusal('unavailable', []), { status: 429, headers: { 'retry-after': '9' } }),
    () => ({ status: 'pending', txHash: '0x00' }),
  ];
  for (const answer of answers) {
    const { requests, result } = await delivered(answer);
    expect(result.is).toBe('open');
    expect(requests).toEqual(['/exchange', '/info']);
    expect((await delivered(answer, { status: 'executed' })).result).toEqual({ is: 'executed' });
    expect((await delivered(answer, { status: 'failed' })).result.is).toBe('void');
    expect((await delivered(answer, { agesMs: NONCE_MS })).result.is).toBe('open');
    expect((await delivered(answer, { agesMs: NONCE_MS + 1 })).result.is).toBe('void');
  }
});

test('a used nonce voids a request unless the venue has its receipt', async () => {
  const spent = [refusal('nonceUsed', []), refusal('nonceTooLow', [7]), refusal('nonceTooOld', [])];
  for (const error of spent) {
    const { result } = await delivered(refused(error));
    expect(result).toEqual({ is: 'void', why: error.message });
    const { result: known } = await delivered(refused(error), { status: 'pending' });
    expect(known.is).toBe('open');
  }
});

async function served<Result>(
  serve: RequestListener,
  run: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(serve);
  try {
    return await run(`http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('a response that is not JSON, or is too long, is treated as missing', async () => {
  const long = `{"success":true,"data":"${'x'.repeat(9 * 1024 * 1024)}"}`;
  for (const text of ['<html>', '[]', long]) {
    await served(
      (_, response) => response.end(text),
      async (url) => {
        const fact = new VenueApi(url).facts();
        await expect(fact).rejects.toThrow(VenueUnavailableError);
        await expect(fact).rejects.toThrow(`no response from ${url}/info`);
      },
    );
  }
  await served(
    (_, response) => response.end('{"success":false,"message":"Not now"}'),
    async (url) => {
      const fact = new VenueApi(url).facts();
      await expect(fact).rejects.toThrow('the venue rejected a query: Not now');
      const register = pegRegistrar({ url, account: KEYS.key('float'), network: NETWORKS.testnet });
      await expect(register([])).rejects.toThrow(
        'the venue rejected the relay withdrawal addresses: Not now',
      );
    },
  );
});
