import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PageOrigins } from '../../packages/host/src/ports/visitors.ts';
import {
  CHAIN_ID,
  payment,
  FUNDED_KEY,
  startChain,
  type TestChain,
} from '../support/local-chain.ts';

/** Tests the limits for untrusted clients on a local chain's port. */

let world: TestChain;
let url: URL;
const pages: PageOrigins = { ports: new Set([8690]), origins: new Set(['https://venue.example']) };
const sockets: Socket[] = [];

beforeEach(async () => {
  world = await startChain();
  url = new URL((await world.chain.listen({ port: 0, pages })).url);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await world.close();
});

/** A program that runs until its gas is used up: JUMPDEST, PUSH1 0, JUMP. */
const ENDLESS = { data: '0x5b600056' };
const endless = (id: number): object => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_call',
  params: [ENDLESS, 'latest'],
});

type Reply = { readonly status: number; readonly json: unknown; readonly headers: object };

function ask(body: unknown, localAddress: string, headers: object = {}): Promise<Reply> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', localAddress, agent: false, headers: { ...headers } };
    const sent = httpRequest(url, options, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (part: string) => (answer += part));
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          json: answer === '' ? undefined : JSON.parse(answer),
          headers: response.headers,
        }),
      );
    });
    sent.once('error', reject);
    sent.end(text);
  });
}

function open(localAddress: string): Socket {
  const socket = connect({ port: Number(url.port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

const head = (bytes: number): string =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
const BLOCK_NUMBER = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] };

test('R-requests: an endless call and its gas estimate are stopped', async () => {
  const stopped = { code: -32_000, message: 'execution aborted (timeout = 250ms)' };
  for (const method of ['eth_call', 'eth_estimateGas']) {
    const { json } = await ask({ ...endless(1), method }, '127.0.0.2');
    expect(json).toMatchObject({ error: stopped });
  }
  // The cost of a single step (here, 480 pairings) is bounded before the step starts.
  const pairings = { to: `0x${'08'.padStart(40, '0')}`, data: `0x${'00'.repeat(192 * 480)}` };
  const { json } = await ask({ ...endless(1), params: [pairings] }, '127.0.0.2');
  expect(json).toMatchObject({ error: stopped });
});

test('R-requests: an endless transaction enters no block and does not delay other transactions', async () => {
  const { chain, reads, wallet } = world;
  const before = await reads.getTransactionCount({ address: wallet.account.address });
  const fields = { data: ENDLESS.data as `0x${string}`, gas: 16_000_000n };
  const signed = await wallet.signTransaction(
    await wallet.prepareTransactionRequest({ ...fields, nonce: before + 1 }),
  );
  const send = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [signed] };
  // The transaction waits for the preceding nonce and is dropped once that nonce has been executed.
  expect(await ask(send, '127.0.0.2')).toMatchObject({ json: { result: expect.anything() } });
  await wallet.sendTransaction({ to: wallet.account.address, value: 1n });
  expect(await reads.getTransactionCount({ address: wallet.account.address })).toBe(before + 1);
  const again = await ask(send, '127.0.0.2');
  expect(again.json).toMatchObject({ error: { message: expect.stringContaining('aborted') } });
  expect(chain.head.transactions).toHaveLength(1);
});

test('R-requests: the venue and light clients do not wait behind clients with endless calls', async () => {
  const batch = Array.from({ length: 100 }, (_each, id) => endless(id));
  const attacks = ['127.0.0.10', '127.0.0.11'].flatMap((from) =>
    Array.from({ length: 3 }, () => ask(batch, from).catch(() => undefined)),
  );
  const { chain } = world;
  await expect.poll(() => chain.waiting, { timeout: 60_000 }).toBeGreaterThanOrEqual(1);
  for (let turn = 0; turn < 2; turn++) {
    const from = chain.ran;
    await chain.rpc('eth_blockNumber');
    // Only the call that was already running was executed.
    expect(chain.ran - from).toBeLessThanOrEqual(1);
    const asked = chain.ran;
    expect((await ask(BLOCK_NUMBER, '127.0.0.3')).status).toBe(200);
    // The limit covers the query's own calls, and those of the attackers that run while the query
    // is being received and executed.
    expect(chain.ran - asked).toBeLessThanOrEqual(6);
  }
  await chain.close();
  await Promise.all(attacks);
});

test("R-requests: a client's work ends when it disconnects", async () => {
  const batch = JSON.stringify(Array.from({ length: 100 }, (_, id) => endless(id)));
  const socket = open('127.0.0.4');
  socket.write(head(batch.length) + batch);
  await expect.poll(() => world.chain.ran, { timeout: 60_000 }).toBeGreaterThan(0);
  socket.destroy();
  await expect.poll(() => world.chain.waiting, { timeout: 60_000 }).toBe(0);
  expect(world.chain.ran).toBeLessThan(20);
});

test("R-requests: each client's open sockets and request bodies are limited", async () => {
  const held = Array.from({ length: 100 }, () => open('127.0.0.5'));
  let refused = 0;
  for (const socket of held) {
    socket.once('data', () => (refused += 1));
    socket.write(`${head(1_000_000)}${'x'.repeat(900_000)}`);
  }
  // Of the 64 connections, 16 send a body, and only four bodies fit in memory.
  await expect.poll(() => refused, { timeout: 60_000 }).toBeGreaterThanOrEqual(90);
  expect((await ask(BLOCK_NUMBER, '127.0.0.6')).status).toBe(200);
});

test('R-requests: pipelined calls are processed one by one', async () => {
  const socket = open('127.0.0.7');
  const text = JSON.stringify(BLOCK_NUMBER);
  socket.pause();
  socket.write(`${head(text.length)}${text}`.repeat(20_000));
  await once(socket, 'connect');
  expect((await ask(BLOCK_NUMBER, '127.0.0.6')).status).toBe(200);
  expect(world.chain.waiting).toBeLessThanOrEqual(1);
});

test('R-requests: the data stored for untrusted clients is limited per client and in total', async () => {
  const chain = await startChain({
    guestWrites: { bytesAtOnce: 40_000, bytesPerSecond: 1, bytesInAll: 250_000 },
  });
  try {
    const port = new URL((await chain.chain.listen({ port: 0 })).url);
    url = port;
    let nonce = 0;
    // The program does nothing but log: PUSH2 0x2000, PUSH1 0, LOG0 creates an 8 KiB log, whose
    // text is twice as long.
    const wordy = async (): Promise<string> => {
      const fields = { data: '0x6120006000a0' as const, gas: 200_000n, nonce, value: 0n };
      const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 0n };
      return await FUNDED_KEY.signTransaction({
        type: 'eip1559',
        chainId: CHAIN_ID,
        ...fields,
        ...fees,
      });
    };
    const send = async (from: string): Promise<unknown> => {
      const params = [await wordy()];
      const body = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params };
      const { json } = await ask(body, from);
      const { error } = json as { error?: { message: string } };
      if (error === undefined) nonce += 1;
      return error?.message;
    };
    const sent: unknown[] = [];
    for (let at = 0; at < 4; at++) sent.push(await send('127.0.0.2'));
    const own = 'too much data was written from your address; try again later';
    expect(sent.slice(0, 2)).toEqual([undefined, undefined]);
    expect(sent.at(-1)).toBe(own);
    for (let client = 20; client < 40; client++) await send(`127.0.0.${client}`);
    expect(await send('127.0.0.99')).toMatch(/^this chain is full: it has \d+ bytes$/);
    const raw = await payment({ nonce });
    await expect(chain.chain.rpc('eth_sendRawTransaction', [raw])).resolves.toMatch(/^0x/);
  } finally {
    await chain.close();
  }
});

test("only the venue's page may send requests from a browser", async () => {
  const from = (origin: string, host = url.host): Promise<Reply> =>
    ask(BLOCK_NUMBER, '127.0.0.8', { origin, host });
  const own = [
    'http://127.0.0.1:8690',
    'http://localhost:8690',
    'https://venue.example',
    'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
  ];
  for (const origin of own) {
    const { headers, status } = await from(origin);
    expect([origin, status]).toEqual([origin, 200]);
    expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' });
  }
  const inTheHouse = 'http://192.168.1.5:8690';
  expect((await from(inTheHouse, '192.168.1.5:8693')).status).toBe(200);
  const others = [
    'null',
    'https://evil.example',
    'http://evil.example:8690',
    'http://127.0.0.1:8000',
    inTheHouse,
  ];
  for (const origin of others) {
    const { headers, status } = await from(origin, 'evil.example:8690');
    expect([origin, status]).toEqual([origin, 403]);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: { origin: 'http://127.0.0.1:8690' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
});
