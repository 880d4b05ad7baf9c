import {
  FeeCapTooLowError,
  InsufficientFundsError,
  IntrinsicGasTooLowError,
  NonceTooLowError,
  BaseError,
  keccak256,
  parseEther,
} from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CHAIN_ID,
  OTHER,
  UNFUNDED_KEY,
  FUNDED_KEY,
  type TestChain,
  payment,
  startChain,
} from '../support/local-chain.ts';

let world: TestChain;

beforeAll(async () => {
  world = await startChain();
  await world.chain.rpc('eth_sendRawTransaction', [await payment({ nonce: 0 })]);
});

afterAll(async () => await world.close());

const send = async (raw: string): Promise<unknown> =>
  await world.chain.rpc('eth_sendRawTransaction', [raw]);

async function post(body: unknown, init: RequestInit = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return await fetch(world.url, { method: 'POST', body: text, ...init });
}

test.each([
  ['a nonce that is used', payment({ nonce: 0, value: 5n }), /^nonce too low/],
  ['the same transaction again', payment({ nonce: 0 }), /^already known/],
  [
    'a sender without money',
    payment({ nonce: 0 }, UNFUNDED_KEY),
    /^insufficient funds for gas \* price/,
  ],
  [
    'more value than the balance',
    payment({ nonce: 1, value: parseEther('200') }),
    /^insufficient funds/,
  ],
  ['too little gas to be sent', payment({ nonce: 1, gas: 20_999n }), /^intrinsic gas too low/],
  [
    'more gas than one may have',
    payment({ nonce: 1, gas: 16_777_217n }),
    /^intrinsic gas too high/,
  ],
  [
    'a price below the base fee',
    payment({ nonce: 1, maxFeePerGas: 1n }),
    /^max fee per gas less than block base fee/,
  ],
  ['bytes that are not a transaction', Promise.resolve('0xc0ffee'), /^rlp/],
  ['a type that is not known here', Promise.resolve('0x04c0'), /^transaction type not valid/],
  [
    'another chain',
    FUNDED_KEY.signTransaction({
      type: 'eip1559',
      chainId: 1,
      nonce: 1,
      gas: 21_000n,
      maxFeePerGas: 10n ** 9n,
    }),
    /^invalid chain id for signer: this chain is \d+$/,
  ],
  [
    'a transaction without a chain id',
    FUNDED_KEY.signTransaction({
      type: 'legacy',
      nonce: 1,
      gas: 21_000n,
      gasPrice: 10n ** 9n,
    } as never),
    /replay-protected/,
  ],
])('%s is rejected without effect', async (_what, raw, why) => {
  const before = world.chain.head.hash;
  await expect(send(await raw)).rejects.toMatchObject({
    code: -32_000,
    message: expect.stringMatching(why),
  });
  expect(world.chain.head.hash).toBe(before);
  expect(await world.chain.rpc('eth_getTransactionCount', [FUNDED_KEY.address, 'pending'])).toBe(
    '0x1',
  );
});

test("viem recognises the chain's errors", async () => {
  const { wallet } = world;
  const cause = async (request: object): Promise<unknown> => {
    const plain = { to: UNFUNDED_KEY.address, gas: 21_000n, ...request };
    const error = await wallet.sendTransaction(plain as never).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    return error instanceof BaseError ? error.walk((inner) => inner !== error) : error;
  };
  expect(await cause({ nonce: 0, value: 9n })).toBeInstanceOf(NonceTooLowError);
  expect(await cause({ account: UNFUNDED_KEY })).toBeInstanceOf(InsufficientFundsError);
  expect(await cause({ gas: 20_000n })).toBeInstanceOf(IntrinsicGasTooLowError);
  const fees = { maxFeePerGas: 5n, maxPriorityFeePerGas: 0n };
  expect(await cause(fees)).toBeInstanceOf(FeeCapTooLowError);
});

test('a transaction with a future nonce waits until the missing one has been executed', async () => {
  const later = (await send(await payment({ nonce: 1 }, OTHER))) as string;
  const count = async (block: string): Promise<unknown> =>
    await world.chain.rpc('eth_getTransactionCount', [OTHER.address, block]);
  expect(await world.chain.rpc('eth_getTransactionReceipt', [later])).toBeNull();
  expect(await world.chain.rpc('eth_getTransactionByHash', [later])).toMatchObject({
    hash: later,
    blockHash: null,
  });
  expect([await count('latest'), await count('pending')]).toEqual(['0x0', '0x0']);
  const before = world.chain.head.number;
  await send(await payment({ nonce: 0 }, OTHER));
  expect([await count('latest'), await count('pending')]).toEqual(['0x2', '0x2']);
  expect(world.chain.head.number).toBe(before + 2);
  expect(world.chain.head.transactions.map(({ hash }) => hash)).toEqual([later]);
});

test('a replacement transaction must raise both fees by at least a tenth', async () => {
  await world.chain.setAutomine(false);
  const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({
    maxFeePerGas,
    maxPriorityFeePerGas,
  });
  const nonce = Number(await world.chain.rpc('eth_getTransactionCount', [FUNDED_KEY.address]));
  const first = await send(await payment({ nonce, ...fees(1_000_000_000n, 100n) }));
  const underpriced = { message: 'replacement transaction underpriced' };
  const low = await payment({ nonce, ...fees(1_099_999_999n, 110n) });
  await expect(send(low)).rejects.toMatchObject(underpriced);
  const lowTip = await payment({ nonce, ...fees(1_100_000_000n, 109n) });
  await expect(send(lowTip)).rejects.toMatchObject(underpriced);
  const second = await send(await payment({ nonce, ...fees(1_100_000_000n, 110n) }));
  expect(await world.chain.rpc('eth_getTransactionByHash', [first])).toBeNull();
  const block = await world.chain.mine();
  expect(block.transactions.map(({ hash }) => hash)).toEqual([second]);
  await world.chain.setAutomine(true);
});

test('unknown methods return the error text that clients expect', async () => {
  for (const method of ['eth_fillTransaction', 'eth_newFilter', 'eth_subscribe', 'constructor']) {
    const reply = await post({ jsonrpc: '2.0', id: 1, method, params: [] });
    expect(await reply.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_601, message: `the method ${method} does not exist/is not available` },
    });
  }
});

test.each([
  ['eth_getBalance', ['0x12']],
  ['eth_getBalance', [UNFUNDED_KEY.address, '0x01']],
  ['eth_getBalance', [UNFUNDED_KEY.address, 'newest']],
  ['eth_call', ['0x']],
  ['eth_call', [{ to: UNFUNDED_KEY.address, value: 5 }]],
  [
    'eth_call',
    [{ to: UNFUNDED_KEY.address }, 'latest', { [UNFUNDED_KEY.address]: { balance: '0x1' } }],
  ],
  ['eth_getLogs', [{ topics: ['0x1'] }]],
  ['eth_getLogs', [{ topics: [null, null, null, null, null] }]],
  ['eth_getLogs', [{ blockHash: keccak256('0x'), fromBlock: '0x0' }]],
  ['eth_getTransactionReceipt', []],
  ['eth_feeHistory', ['0x1', 'latest', [101]]],
  ['eth_feeHistory', ['0x1', 'latest', [75, 25]]],
  ['eth_sendRawTransaction', ['hello']],
])('%s with %j returns a specific error', async (method, params) => {
  await expect(world.chain.rpc(method, params)).rejects.toMatchObject({ code: -32_602 });
});

test('a call cannot send more ether than its sender has', async () => {
  const call = { from: UNFUNDED_KEY.address, to: FUNDED_KEY.address, value: '0xffffff' };
  const broke = {
    code: -32_000,
    message: expect.stringMatching(/^insufficient funds for transfer/),
  };
  await expect(world.chain.rpc('eth_call', [call])).rejects.toMatchObject(broke);
  await expect(world.chain.rpc('eth_estimateGas', [call])).rejects.toMatchObject(broke);
});

test('missing objects are null, and a missing state is an error', async () => {
  const unknown = keccak256('0x');
  expect(await world.chain.rpc('eth_getBlockByNumber', ['0xffffff', false])).toBeNull();
  expect(await world.chain.rpc('eth_getBlockByHash', [unknown, false])).toBeNull();
  expect(await world.chain.rpc('eth_getTransactionByHash', [unknown])).toBeNull();
  expect(
    await world.chain.rpc('eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x5']),
  ).toBeNull();
  expect(await world.chain.rpc('eth_getLogs', [{ fromBlock: '0xffffff' }])).toEqual([]);
  const balance = world.chain.rpc('eth_getBalance', [UNFUNDED_KEY.address, '0xffffff']);
  await expect(balance).rejects.toMatchObject({ code: -32_000, message: 'header not found' });
  const wide = world.chain.rpc('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]);
  expect(await wide).toEqual([]);
});

test("the chain's port accepts POST and batches, within limits", async () => {
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] });
  const batch = await post([
    call(1),
    { id: 2 },
    call(3),
    { jsonrpc: '2.0', method: 'eth_chainId' },
  ]);
  expect(batch.headers.get('access-control-allow-origin')).toBeNull();
  expect(await batch.json()).toEqual([
    { jsonrpc: '2.0', id: 1, result: `0x${CHAIN_ID.toString(16)}` },
    expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) }),
    { jsonrpc: '2.0', id: 3, result: `0x${CHAIN_ID.toString(16)}` },
  ]);
  const tooMany = await post(Array.from({ length: 101 }, (_, id) => call(id)));
  expect(await tooMany.json()).toMatchObject({ error: { code: -32_600 } });
  expect(await (await post('{')).json()).toMatchObject({ error: { code: -32_700 } });
  expect(await (await post([])).json()).toMatchObject({ error: { code: -32_600 } });
  expect((await post('x'.repeat(1_100_000))).status).toBe(413);
  expect((await fetch(world.url)).status).toBe(405);
});
