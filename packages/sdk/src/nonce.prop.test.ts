import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClient } from './client.ts';
import { NonceSource } from './nonce.ts';
import { privateKeyWallet, type Wallet } from './wallet.ts';

const steps = fc.array(
  fc.record({
    signer: fc.constantFrom('0xA1', '0xa1', '0xb2'),
    tickMs: fc.integer({ min: -5, max: 3 }),
  }),
  { maxLength: 200 },
);

test("a signer's nonces only increase, even if the clock goes backwards", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      let nowMs = 1_800_000_000_000;
      const source = new NonceSource(() => nowMs);
      const last = new Map<string, number>();
      for (const { signer, tickMs } of taken) {
        nowMs += tickMs;
        const nonce = source.next(signer);
        const key = signer.toLowerCase();
        expect(nonce).toBeGreaterThan(last.get(key) ?? 0);
        expect(nonce).toBeGreaterThanOrEqual(nowMs);
        last.set(key, nonce);
      }
    }),
  );
});

test('a nonce equals the clock reading if the clock has advanced, so it stays within the venue’s window', () => {
  let nowMs = 1_800_000_000_000.75;
  const source = new NonceSource(() => nowMs);
  expect(source.next('0xa1')).toBe(1_800_000_000_000);
  nowMs += 10;
  expect(source.next('0xa1')).toBe(1_800_000_000_010);
});

test('concurrent calls never get the same nonce', async () => {
  const source = new NonceSource(() => 1_800_000_000_000);
  const take = async (): Promise<number> => {
    await Promise.resolve();
    return source.next('0xa1');
  };
  const taken = await Promise.all(Array.from({ length: 500 }, take));
  expect(new Set(taken).size).toBe(500);
});

test('ten thousand concurrent calls from three clients with one key get different nonces', async () => {
  const own = privateKeyWallet(`0x${'11'.repeat(32)}`);
  // All requests have the same signature, because the test checks only the nonces.
  const one = await own.sign({
    digest: new Uint8Array(32).fill(1),
    typedData: () => undefined as never,
  });
  const wallet: Wallet = { ...own, sign: async () => one };
  const nonces: number[] = [];
  const fetch = async (_: string, { body }: RequestInit): Promise<Response> => {
    nonces.push(JSON.parse(String(body)).nonce);
    // Every seventh request is rate-limited, so its action is signed again.
    const isLimited = nonces.length % 7 === 0;
    const status = isLimited ? 429 : 200;
    const data = { type: 'CancelAll', data: { statuses: ['success'] } };
    const answer = isLimited
      ? { status: 'err', code: 10029, name: 'RATE_LIMITED', message: '' }
      : { status: 'ok', code: 0, data };
    return new Response(JSON.stringify(answer), { status });
  };
  const backoff = { baseMs: 1, maxMs: 2, random: () => 0.5 };
  const options = {
    url: 'http://127.0.0.1:1',
    network: 'testnet',
    wallet,
    fetch,
    backoff,
    retriesMax: 20,
  } as const;
  const clients = [1, 2, 3].map(() => createClient(options));
  const calls = Array.from({ length: 10_000 }, (__, index) =>
    clients[index % 3]!.exchange.cancelAll(),
  );
  const replies = await Promise.all(calls);
  expect(nonces.length).toBeGreaterThan(replies.length);
  expect(new Set(nonces).size).toBe(nonces.length);
  expect(new Set(replies.map(({ nonce }) => nonce)).size).toBe(10_000);
});
