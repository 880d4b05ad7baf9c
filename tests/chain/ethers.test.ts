import { setTimeout as delay } from 'node:timers/promises';
import {
  Contract,
  ContractFactory,
  JsonRpcProvider,
  NonceManager,
  Wallet,
  parseEther,
} from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GUESTBOOK_ABI, GUESTBOOK_BYTECODE } from '../fixtures/guestbook/guestbook.ts';
import { CHAIN_ID, UNFUNDED_KEY, type TestChain, startChain } from '../support/local-chain.ts';

let world: TestChain;
let provider: JsonRpcProvider;
let wallet: Wallet;
let guestbook: Contract;

beforeAll(async () => {
  world = await startChain();
  // By default, the provider caches responses for a quarter of a second.
  provider = new JsonRpcProvider(world.url, undefined, { cacheTimeout: -1, pollingInterval: 20 });
  wallet = new Wallet(`0x${'a1'.repeat(32)}`, provider);
  const deployed = await new ContractFactory(GUESTBOOK_ABI, GUESTBOOK_BYTECODE, wallet).deploy(7n);
  await deployed.waitForDeployment();
  guestbook = new Contract(await deployed.getAddress(), GUESTBOOK_ABI, wallet);
});

afterAll(async () => {
  // The library keeps requesting receipts after it has returned to the caller, so these requests
  // must complete first.
  await provider.removeAllListeners();
  for (let round = 0; round < 5; round += 1) await provider.getBlockNumber();
  provider.destroy();
  await world.close();
});

const method = (name: string) => guestbook.getFunction(name);

test('ethers reads the network, its fees and a balance', async () => {
  expect((await provider.getNetwork()).chainId).toBe(BigInt(CHAIN_ID));
  const fees = await provider.getFeeData();
  expect(fees.gasPrice).toBe(10_000_000n);
  expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(10_000_000n);
  expect(await provider.getBalance(UNFUNDED_KEY.address)).toBe(0n);
});

test('ethers calls a contract and reads the resulting event from the receipt and through a query', async () => {
  const sent = await method('sign').send('hello', { value: parseEther('0.5') });
  const receipt = await sent.wait();
  expect(receipt?.status).toBe(1);
  expect(await method('pages').staticCall()).toBe(8n);
  const found = await guestbook.queryFilter(guestbook.getEvent('Signed')(wallet.address), 0);
  expect(found.map((log) => log.transactionHash)).toEqual([sent.hash]);
  const transaction = await provider.getTransaction(sent.hash);
  expect(transaction?.signature.r).toHaveLength(66);
  const block = await provider.getBlock('latest', true);
  expect(block?.prefetchedTransactions[0]?.hash).toBe(sent.hash);
});

test('an ethers listener receives an event', async () => {
  const received: string[] = [];
  await guestbook.on(guestbook.getEvent('Signed'), (_guest, _page, text: string) => {
    received.push(text);
  });
  // A listener receives only events that come after its first poll, so the event is repeated until
  // then.
  while (received.length === 0) {
    const sent = await method('sign').send('listen');
    await sent.wait();
    await delay(50);
  }
  await guestbook.removeAllListeners();
  expect(received[0]).toBe('listen');
});

test('ethers receives the reason for a revert', async () => {
  await expect(method('sign').staticCall('')).rejects.toMatchObject({
    code: 'CALL_EXCEPTION',
    reason: 'nothing written',
  });
  await expect(method('tear').staticCall(1000n)).rejects.toMatchObject({
    code: 'CALL_EXCEPTION',
    revert: { name: 'Full' },
  });
  await expect(method('sign').send('')).rejects.toMatchObject({
    code: 'CALL_EXCEPTION',
    reason: 'nothing written',
  });
});

test("ethers recognises the chain's errors by name", async () => {
  const to = UNFUNDED_KEY.address;
  await expect(wallet.sendTransaction({ to, nonce: 0 })).rejects.toMatchObject({
    code: 'NONCE_EXPIRED',
  });
  const poor = new Wallet(`0x${'c3'.repeat(32)}`, provider);
  await expect(poor.sendTransaction({ to: wallet.address, value: 1n })).rejects.toMatchObject({
    code: 'INSUFFICIENT_FUNDS',
  });
  await world.chain.setAutomine(false);
  try {
    const nonce = await provider.getTransactionCount(wallet.address);
    const sent = await wallet.sendTransaction({ to, nonce, value: 1n });
    await expect(wallet.sendTransaction({ to, nonce, value: 2n })).rejects.toMatchObject({
      code: 'REPLACEMENT_UNDERPRICED',
    });
    await world.chain.mine();
    expect((await sent.wait())?.status).toBe(1);
  } finally {
    await world.chain.setAutomine(true);
  }
});

test('many concurrent ethers transactions are executed in nonce order', async () => {
  const managed = new NonceManager(wallet);
  const payments = Array.from({ length: 12 }, () =>
    managed.sendTransaction({ to: UNFUNDED_KEY.address, value: 1n }),
  );
  const receipts = await Promise.all((await Promise.all(payments)).map((sent) => sent.wait()));
  const blocks = receipts.map((receipt) => receipt?.blockNumber ?? 0);
  const [first = 0] = blocks.toSorted((a, b) => a - b);
  expect(blocks.toSorted((a, b) => a - b)).toEqual(blocks.map((_, at) => first + at));
});

test('an ethers client waiting for a transaction notices that it was replaced', async () => {
  await world.chain.setAutomine(false);
  try {
    const nonce = await provider.getTransactionCount(wallet.address);
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n };
    const first = await wallet.sendTransaction({
      to: UNFUNDED_KEY.address,
      nonce,
      value: 1n,
      ...fees,
    });
    const waiting = first.wait();
    const raised = { maxFeePerGas: 2n * 10n ** 9n, maxPriorityFeePerGas: 2n };
    const second = await wallet.sendTransaction({
      to: UNFUNDED_KEY.address,
      nonce,
      value: 2n,
      ...raised,
    });
    const mined = setInterval(() => void world.chain.mine(), 100);
    try {
      await expect(waiting).rejects.toMatchObject({
        code: 'TRANSACTION_REPLACED',
        replacement: { hash: second.hash },
      });
    } finally {
      clearInterval(mined);
    }
  } finally {
    await world.chain.setAutomine(true);
  }
});
