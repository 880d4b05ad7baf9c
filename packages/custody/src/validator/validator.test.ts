import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@oddlot/host/log';
import { listen } from '@oddlot/testing/host';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RETURN_ID_MIN } from '../bridge-contract/deposit-logs.ts';
import { remoteValidator } from '../signing/remote-validator.ts';
import { PROOF_HEADER, proofOf, signBody } from '../signing/validator-wire.ts';
import {
  type BridgeDomain,
  keyValidator,
  type Payout,
  type ValidatorRequest,
} from '../signing/bridge-signatures.ts';
import { ModelLedger } from '@oddlot/testing/custody/model-ledger';
import { lowerAddressOf, signedBy, withdrawal } from '@oddlot/testing/custody/signed-requests';
import { SignedBook } from './signed-book.ts';
import { Signer } from './signer.ts';
import { type RunningValidator, startValidator } from './start-validator.ts';
import { readValidatorSettings } from './validator-settings.ts';

const KEY: Hex = `0x${'51'.repeat(32)}`;
const ADDRESS = privateKeyToAccount(KEY).address.toLowerCase();
const DOMAIN = { chainId: 421_614, bridge: `0x${'b1'.repeat(20)}` } as const;
const serviceNetwork = 'example.org-3fa9c1d2';
const USER_KEY: Hex = `0x${'a1'.repeat(32)}`;
const USER = lowerAddressOf(USER_KEY);
const RELAYER = privateKeyToAccount(`0x${'e1'.repeat(32)}`);
const DESTINATION: Hex = `0x${'d1'.repeat(20)}`;
const PAYOUT: Payout = { withdrawalId: 7n, user: USER, destination: DESTINATION, usd: 1_900_000n };
const CANCELLATION: ValidatorRequest = {
  type: 'cancellation',
  withdrawalId: 7n,
  user: USER,
  reason: 'barred',
};
const ROW = {
  id: 7,
  time: 1,
  destination: DESTINATION,
  amount: '2',
  fee: '0.1',
  status: 'held',
};

let folder = '';
let running: RunningValidator | undefined;
let first: ModelLedger;
let second: ModelLedger;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-validator-'));
  first = await new ModelLedger().open();
  second = await new ModelLedger().open();
  const action = withdrawal(
    { serviceNetwork, nonce: 1 },
    { destination: DESTINATION, amount: '2' },
  );
  const request = await signedBy(USER_KEY, action);
  for (const ledger of [first, second]) {
    ledger.user = USER;
    ledger.rows = [ROW];
    ledger.requests = [request];
    ledger.asking = [request.txHash];
  }
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await first.close();
  await second.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(key = 'env:KEY', chainId: number = DOMAIN.chainId): Promise<string> {
  const flags = ['--key', key, '--chain-id', String(chainId), '--bridge', DOMAIN.bridge];
  const places = ['--venues', `${first.url},${second.url}`, '--data', join(folder, 'book')];
  const named = ['--service-network', serviceNetwork, '--relayer', RELAYER.address];
  const config = readValidatorSettings([...flags, ...named, ...places, '--port', '0']);
  const log = createLogger({ level: 'silent' });
  running = await startValidator(config, { env: { KEY }, log, now: () => 1 });
  return running.url;
}

const asked = (url: string, request: ValidatorRequest, domain: BridgeDomain = DOMAIN) =>
  remoteValidator(url, domain, { as: RELAYER }).sign(request, new AbortController().signal);
const payout = (changes: Partial<Payout> = {}): ValidatorRequest => {
  return { type: 'payout', payout: { ...PAYOUT, ...changes } };
};

/** This ledger accepts all requests and amounts; other tests cover those checks. */
const BELIEVING = {
  requests: { evidenceFor: async () => ({ request: '0x1', signerChanges: [] }) },
  limits: { refusal: () => undefined },
};

describe('R-withdraw: a validator process signs payouts', () => {
  test('a validator signs payouts that all venues owe, producing the same signature as a local key', async () => {
    const url = await start();
    const signal = new AbortController().signal;
    const expected = await keyValidator(KEY, DOMAIN).sign(payout(), signal);
    expect(await asked(url, payout())).toEqual(expected);
    expect(first.asked[0]).toEqual({ type: 'withdrawals', user: USER, before: 8, limit: 1 });
    expect(second.asked[0]).toEqual(first.asked[0]);
    const signed = (await (await fetch(`${url}/signed`)).json()) as object;
    expect(signed).toMatchObject({
      count: 1,
      latest: [{ type: 'payout', withdrawalId: '7', usd: '1900000', destination: DESTINATION }],
    });
    const health = (await (await fetch(`${url}/healthz`)).json()) as object;
    expect(health).toEqual({ ok: true, validator: ADDRESS, ...DOMAIN, serviceNetwork, signed: 1 });
  });

  test('a validator waits briefly for a withdrawal that is not in the history yet, and for its rate limit to recover', async () => {
    const url = await start();
    second.emptyAnswers = 2;
    first.busy = 3;
    await expect(asked(url, payout())).resolves.toMatchObject({ address: ADDRESS });
  });

  test('a validator finds the request for a withdrawal among thousands made at the same time', async () => {
    for (const ledger of [first, second]) {
      ledger.pageRows = 2;
      const other = { ...ROW, destination: USER };
      ledger.rows = [{ ...other, id: 9 }, { ...other, id: 8 }, ROW];
    }
    await expect(asked(await start(), payout())).resolves.toMatchObject({ address: ADDRESS });
  });

  test('a validator refuses a payout that is not owed, and says why', async () => {
    const url = await start();
    const refused: [Partial<Payout>, string][] = [
      [{ withdrawalId: 8n }, 'has no withdrawal 8'],
      [{ user: DESTINATION }, `has no withdrawal 7 of ${DESTINATION}`],
      [{ usd: 2_000_000n }, 'the amount to pay for withdrawal 7 is 1.9 USDC'],
      [{ destination: USER }, `withdrawal 7 must go to ${DESTINATION}`],
      [
        { withdrawalId: RETURN_ID_MIN | 7n },
        'this validator does not sign returns of deposits; its operator signs them manually (oddlot ' +
          'bridge sign)',
      ],
      [{ withdrawalId: 2n ** 60n }, `unknown withdrawal ${2n ** 60n}`],
    ];
    for (const [changes, why] of refused) {
      await expect(asked(url, payout(changes))).rejects.toThrow(why);
    }
    const elsewhere = { ...DOMAIN, chainId: 42_161 };
    await expect(asked(url, payout(), elsewhere)).rejects.toThrow(
      'this validator signs for chain 421614',
    );
    const bridge: Hex = `0x${'b2'.repeat(20)}`;
    await expect(asked(url, payout(), { ...DOMAIN, bridge })).rejects.toThrow(
      `this validator signs for bridge ${DOMAIN.bridge}`,
    );
    for (const status of ['confirmed', 'returned']) {
      for (const ledger of [first, second]) ledger.rows = [{ ...ROW, status }];
      await expect(asked(url, payout())).rejects.toThrow(
        new RegExp(`withdrawal 7 (?:is|was) ${status}`),
      );
    }
    expect(readFileSync(join(folder, 'book', 'signed.jsonl'), 'utf8')).toBe('');
  });

  test('a validator without chain endpoints signs no cancellation, regardless of the requester and the reason', async () => {
    const url = await start();
    await asked(url, payout());
    await expect(asked(url, CANCELLATION)).rejects.toThrow('its operator signs cancellations');
    const body = { type: 'cancellation', ...DOMAIN, withdrawalId: '7', user: USER };
    const posted = async (reason: string) => {
      const text = JSON.stringify({ ...body, reason });
      const headers = { [PROOF_HEADER]: await proofOf(RELAYER, text) };
      return await fetch(`${url}/sign`, { method: 'POST', headers, body: text });
    };
    expect((await posted('barred')).status).toBe(403);
    expect((await posted('x'.repeat(201))).status).toBe(400);
    expect(readFileSync(join(folder, 'book', 'signed.jsonl'), 'utf8').split('\n')).toHaveLength(2);
  });

  test('a validator limits how many requests per second one address can make', async () => {
    const url = await start();
    const refusals: string[] = [];
    for (let times = 0; times < 11; times++) {
      await asked(url, CANCELLATION).catch((error: Error) => refusals.push(error.message));
    }
    expect(refusals.slice(0, 10)).not.toContain('too many requests');
    expect(refusals[10]).toBe('too many requests');
    // Payouts have a separate limit.
    await expect(asked(url, payout())).resolves.toMatchObject({ address: ADDRESS });
  });

  test('a validator does not sign a payout if venues disagree or one is unavailable', async () => {
    const url = await start();
    second.rows = [{ ...ROW, amount: '3' }];
    await expect(asked(url, payout())).rejects.toThrow('disagree about withdrawal 7');
    second.rows = [{ ...ROW, status: 'returned' }];
    await expect(asked(url, payout())).rejects.toThrow('disagree about withdrawal 7');
    second.rows = [ROW];
    second.httpStatus = 503;
    await expect(asked(url, payout())).rejects.toThrow(/querying .* failed: HTTP 503/);
    second.httpStatus = 200;
    await expect(asked(url, payout())).resolves.toMatchObject({ address: ADDRESS });
  });

  test('after a restart, a validator signs the same terms again without querying, and signs no other terms for that withdrawal', async () => {
    const before = await asked(await start(), payout());
    await running?.stop();
    const url = await start();
    // A compromised venue now reports a different amount.
    for (const ledger of [first, second]) ledger.rows = [{ ...ROW, amount: '1000' }];
    await expect(asked(url, payout({ usd: 999_900_000n }))).rejects.toThrow(
      'withdrawal 7 was already signed as 1900000 micro-USDC',
    );
    const count = first.asked.length;
    expect(await asked(url, payout())).toEqual(before);
    expect(first.asked).toHaveLength(count);
  });

  test('a validator signs only one of two requested amounts, even if both were owed when they were checked', async () => {
    const book = new SignedBook(join(folder, 'signed.jsonl'));
    const amounts = [1_900_000n, 2_900_000n];
    const remaining = [...amounts];
    const { promise: bothAsked, resolve } = Promise.withResolvers<void>();
    const unpaidWithdrawal = async () => {
      const usd = remaining.shift()!;
      if (remaining.length === 0) resolve();
      await bothAsked;
      return { destination: DESTINATION, usd, amount: usd, timeMs: 1, isReturned: false };
    };
    const signer = new Signer({
      key: KEY,
      domain: DOMAIN,
      book,
      ledger: { unpaidWithdrawal, assertPayable: async () => undefined },
      ...BELIEVING,
      now: () => 1,
    });
    const settled = await Promise.allSettled(
      amounts.map((usd) =>
        signer.sign(signBody(DOMAIN, payout({ usd })), new AbortController().signal),
      ),
    );
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(book.count).toBe(1);
    book.close();
  });
});

test('a validator responds to an invalid request with the reason', async () => {
  const url = await start();
  const post = async (body: string): Promise<[number, string]> => {
    const headers = { [PROOF_HEADER]: await proofOf(RELAYER, body) };
    const response = await fetch(`${url}/sign`, { method: 'POST', headers, body });
    return [response.status, ((await response.json()) as { message: string }).message];
  };
  expect(await post('{')).toEqual([400, 'the request is not JSON']);
  expect(await post('{}')).toEqual([400, expect.stringMatching(/^type: /)]);
  expect(await post('x'.repeat(9_000))).toEqual([413, 'the request is too long']);
  const whole = { type: 'payout', ...DOMAIN, withdrawalId: '7', user: USER, usd: '1900000' };
  const fields = { ...whole, destination: DESTINATION };
  for (const [name, value] of [
    ['usd', '-1'],
    ['usd', '01'],
    ['usd', '1.5'],
    ['usd', String(2n ** 64n)],
    ['withdrawalId', 7],
    ['user', '0x12'],
    ['chainId', '421614'],
  ] as const) {
    const body = JSON.stringify({ ...fields, [name]: value });
    expect(await post(body)).toEqual([400, expect.stringMatching(`^${name}: `)]);
  }
  expect((await post(JSON.stringify({ ...fields, nonce: 1 })))[0]).toBe(400);
  expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
});

test('the requester detects an invalid signature by a validator', async () => {
  let answer: object = {};
  const server = createServer((_, response) => response.end(JSON.stringify(answer)));
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const { signal } = new AbortController();
  const answerOf = async (key: Hex, request: ValidatorRequest) => {
    const { r, s, v } = (await keyValidator(key, DOMAIN).sign(request, signal)).signature;
    return { validator: ADDRESS, r: String(r), s: String(s), v };
  };
  const good = await answerOf(KEY, payout());
  answer = good;
  await expect(asked(url, payout())).resolves.toMatchObject({ address: ADDRESS });
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  for (const bad of [
    await answerOf(`0x${'52'.repeat(32)}`, payout()),
    await answerOf(KEY, payout({ usd: 1n })),
    // The other form of the same signature, which the bridge rejects.
    { ...good, s: String(order - BigInt(good.s)), v: 55 - good.v },
    { ...good, v: 0 },
    { ...good, r: '0' },
    { ...good, r: '9'.repeat(78) },
  ]) {
    answer = bad;
    await expect(asked(url, payout())).rejects.toThrow('its signature is not valid');
  }
  answer = { validator: ADDRESS };
  await expect(asked(url, payout())).rejects.toThrow('its response cannot be read');
  server.close();
  server.closeAllConnections();
  await expect(asked(url, payout())).rejects.toThrow('the request failed');
});

test('a request to a validator that does not respond times out', async () => {
  const server = createServer(() => undefined);
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const slow = remoteValidator(url, DOMAIN, { timeoutMs: 50 });
  const signed = slow.sign(payout(), new AbortController().signal);
  await expect(signed).rejects.toThrow('it did not answer in time');
  server.close();
  server.closeAllConnections();
});

test('a data folder can be used by only one validator', async () => {
  await start();
  const firstRun = running;
  await expect(start()).rejects.toThrow('is in use by');
  running = firstRun;
});

test('on mainnet, a validator rejects a key that other users can read, and a key in the data folder', async () => {
  const key = join(folder, 'key');
  writeFileSync(key, KEY, { mode: 0o600 });
  chmodSync(key, 0o640);
  await expect(start(key, 42_161)).rejects.toThrow('other users can read');
  await start(key);
  await running?.stop();
  const inside = join(folder, 'book', 'key');
  writeFileSync(inside, KEY, { mode: 0o600 });
  await expect(start(inside, 42_161)).rejects.toThrow('is in the data folder');
  running = undefined;
});
