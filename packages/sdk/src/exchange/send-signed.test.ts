import { NETWORKS, refusal } from '@oddlot/protocol';
import { expect, test } from 'vitest';
import { createClient } from '../client.ts';
import { ApiError, HttpError, isNonceSpent } from '../errors.ts';
import { createHasher } from '../index.ts';
import { privateKeyWallet } from '../wallet.ts';
import { signAction } from './sign-action.ts';

const network = NETWORKS.testnet;
const wallet = privateKeyWallet(`0x${'5e'.repeat(32)}`);

async function signed() {
  const nonce = 1_800_000_000_000;
  const what = { type: 'approveAgent', agentAddress: `0x${'0'.repeat(40)}` } as const;
  const action = { ...what, ...network, nonce };
  return await signAction(action, { nonce }, { hasher: createHasher(network), wallet });
}

function clientOf(answers: readonly Response[], bodies: string[]) {
  const left = [...answers];
  const backoff = { baseMs: 1, maxMs: 1, random: () => 0 };
  return createClient({
    url: 'http://venue.test',
    backoff,
    retriesMax: left.length - 1,
    fetch: async (_url, { body }) => {
      bodies.push(String(body));
      return left.shift() ?? Response.error();
    },
  });
}

const DONE = { status: 'ok', data: { type: 'default', data: { statuses: ['success'] } } };

test('a client without a key sends the same bytes until there is a response', async () => {
  const bodies: string[] = [];
  const slow = new Response('{}', { status: 429, headers: { 'retry-after': '0' } });
  const client = clientOf([new Response('', { status: 502 }), slow, Response.json(DONE)], bodies);
  const action = await signed();
  expect(await client.exchange.sendSigned(action)).toMatchObject({
    status: 'accepted',
    txHash: action.txHash,
  });
  expect(bodies).toEqual([action.body, action.body, action.body]);
});

test('an unknown result is reported with its hash, and isNonceSpent identifies final refusals', async () => {
  const action = await signed();
  const open = clientOf([Response.json({ status: 'err' }, { status: 503 })], []);
  const error = await open.exchange.sendSigned(action).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ txHash: action.txHash });
  for (const [key, isSpent] of [
    ['nonceUsed', true],
    ['nonceTooOld', true],
    ['nonceTooFar', false],
    ['unavailable', false],
  ] as const) {
    const { code, message, name } = refusal(key, []);
    const client = clientOf([Response.json({ status: 'err', code, name, message })], []);
    const refused = await client.exchange.sendSigned(action).catch((cause: unknown) => cause);
    expect(refused).toBeInstanceOf(ApiError);
    expect(isNonceSpent(refused as ApiError), key).toBe(isSpent);
  }
});
