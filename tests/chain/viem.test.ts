import { setTimeout as delay } from 'node:timers/promises';
import {
  type Hex,
  createPublicClient,
  encodeFunctionData,
  getContract,
  http,
  keccak256,
  parseEther,
  parseEventLogs,
} from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GUESTBOOK_ABI, GUESTBOOK_BYTECODE } from '../fixtures/guestbook/guestbook.ts';
import {
  CHAIN_ID,
  OTHER,
  UNFUNDED_KEY,
  FUNDED_KEY,
  type TestChain,
  startChain,
} from '../support/local-chain.ts';

let world: TestChain;
let guestbook: Hex;

beforeAll(async () => {
  world = await startChain();
  const hash = await world.wallet.deployContract({
    abi: GUESTBOOK_ABI,
    bytecode: GUESTBOOK_BYTECODE,
    args: [7n],
  });
  const receipt = await world.reads.waitForTransactionReceipt({ hash });
  if (receipt.contractAddress === null || receipt.contractAddress === undefined)
    throw new Error('the contract was not deployed');
  guestbook = receipt.contractAddress;
});

afterAll(async () => await world.close());

test('viem deploys, calls and reads a contract', async () => {
  const { reads, wallet } = world;
  const book = getContract({
    address: guestbook,
    abi: GUESTBOOK_ABI,
    client: { public: reads, wallet },
  });
  const before = await book.read.pages();
  expect(before).toBe(7n);
  const simulated = await book.simulate.sign(['hello'], { account: FUNDED_KEY });
  expect(simulated.result).toBe(7n);
  const hash = await book.write.sign(['hello'], { value: 5n });
  const receipt = await reads.waitForTransactionReceipt({ hash });
  expect(receipt).toMatchObject({
    status: 'success',
    type: 'eip1559',
    to: guestbook.toLowerCase(),
  });
  expect(await book.read.pages()).toBe(8n);
  expect(await book.read.guests([7n])).toBe(FUNDED_KEY.address);
  expect(await reads.getBalance({ address: guestbook })).toBe(5n);
  const [event] = parseEventLogs({ abi: GUESTBOOK_ABI, logs: receipt.logs });
  expect(event).toMatchObject({ eventName: 'Signed', args: { page: 7n, text: 'hello' } });
});

test('viem receives the reason for a revert', async () => {
  const { reads, wallet } = world;
  const book = getContract({
    address: guestbook,
    abi: GUESTBOOK_ABI,
    client: { public: reads, wallet },
  });
  await expect(book.simulate.sign([''])).rejects.toThrow('nothing written');
  await expect(book.write.sign([''])).rejects.toThrow('nothing written');
  await expect(book.simulate.tear([1000n])).rejects.toThrow(/Full\(uint256 pages\)[\s\S]*\(8\)/);
  const spin = encodeFunctionData({ abi: GUESTBOOK_ABI, functionName: 'spin' });
  const endless = reads.call({ to: guestbook, data: spin, gas: 500_000n });
  await expect(endless).rejects.toThrow(/out of gas/);
  const gas = 100_000n;
  const hash = await book.write.tear([1000n], { gas });
  const receipt = await reads.waitForTransactionReceipt({ hash });
  expect(receipt).toMatchObject({ status: 'reverted', logs: [] });
  expect(await book.read.pages()).toBe(8n);
});

test('viem finds exactly the matching logs by address, topics, range and block', async () => {
  const { reads, wallet } = world;
  const book = getContract({
    address: guestbook,
    abi: GUESTBOOK_ABI,
    client: { public: reads, wallet },
  });
  const fromBlock = (await reads.getBlockNumber()) + 1n;
  const first = await reads.waitForTransactionReceipt({ hash: await book.write.sign(['one']) });
  const other = { account: OTHER };
  const second = await reads.waitForTransactionReceipt({
    hash: await book.write.sign(['two'], other),
  });
  const texts = async (filter: object): Promise<unknown[]> => {
    const range = { address: guestbook, abi: GUESTBOOK_ABI, eventName: 'Signed' } as const;
    const logs = await reads.getContractEvents({ ...range, fromBlock, ...filter });
    return logs.map(({ args }) => (args as { text?: string }).text);
  };
  expect(await texts({})).toEqual(['one', 'two']);
  expect(await texts({ args: { guest: OTHER.address } })).toEqual(['two']);
  expect(await texts({ args: { guest: [OTHER.address, FUNDED_KEY.address] } })).toEqual([
    'one',
    'two',
  ]);
  expect(await texts({ toBlock: first.blockNumber })).toEqual(['one']);
  expect(await texts({ fromBlock: second.blockNumber })).toEqual(['two']);
  expect(await texts({ address: UNFUNDED_KEY.address })).toEqual([]);
  const inBlock = await reads.getLogs({ blockHash: first.blockHash });
  expect(inBlock.map((log) => [log.transactionHash, log.logIndex])).toEqual([
    [first.transactionHash, 0],
  ]);
  await expect(reads.getLogs({ blockHash: keccak256('0x') })).rejects.toThrow(/unknown block/);
});

test('viem receives watched events by polling, its fallback method', async () => {
  const { reads, wallet } = world;
  const event = { address: guestbook, abi: GUESTBOOK_ABI, eventName: 'Signed' } as const;
  const seen: unknown[] = [];
  const errors: Error[] = [];
  const unwatch = reads.watchContractEvent({
    ...event,
    onLogs: (logs) => seen.push(...logs.map(({ args }) => args.text)),
    onError: (error) => errors.push(error),
  });
  const sign = { address: guestbook, abi: GUESTBOOK_ABI, functionName: 'sign' } as const;
  // A watcher receives only events that come after its first poll, so the event is repeated until
  // then.
  while (seen.length === 0 && errors.length === 0) {
    await wallet.writeContract({ ...sign, args: ['watched'] });
    await delay(50);
  }
  unwatch();
  expect([seen[0], errors]).toEqual(['watched', []]);
});

test('a viem wallet gets all the data it requests before sending', async () => {
  const { reads, wallet } = world;
  expect(await reads.getChainId()).toBe(CHAIN_ID);
  expect(await reads.getGasPrice()).toBe(10_000_000n);
  const fees = await reads.estimateFeesPerGas();
  expect(fees).toEqual({ maxFeePerGas: 12_000_000n, maxPriorityFeePerGas: 0n });
  const history = await reads.getFeeHistory({ blockCount: 3, rewardPercentiles: [10, 90] });
  expect(history.baseFeePerGas).toHaveLength(4);
  expect(history.reward?.every((row) => row.length === 2)).toBe(true);
  const transfer = { account: FUNDED_KEY, to: UNFUNDED_KEY.address, value: 1n };
  expect(await reads.estimateGas(transfer)).toBe(21_000n);
  const request = await wallet.prepareTransactionRequest(transfer);
  expect(request).toMatchObject({ type: 'eip1559', gas: 21_000n });
  for (const blockTag of ['latest', 'safe', 'finalized'] as const) {
    const block = await reads.getBlock({ blockTag });
    expect(block.number).toBe(await reads.getBlockNumber());
  }
  const pending = await reads.getBlock({ blockTag: 'pending' });
  expect(pending.hash).toBeNull();
  expect((await reads.getCode({ address: guestbook }))?.length).toBeGreaterThan(100);
  expect(await reads.getCode({ address: UNFUNDED_KEY.address })).toBeUndefined();
  const slot = await reads.getStorageAt({ address: guestbook, slot: '0x1' });
  expect(BigInt(slot ?? 0)).toBeGreaterThanOrEqual(8n);
});

test('a gas estimate is sufficient even though refunds hide part of the cost', async () => {
  const { reads, wallet } = world;
  const abi = GUESTBOOK_ABI;
  const other = { abi, bytecode: GUESTBOOK_BYTECODE, args: [3n] } as const;
  const deploy = async (): Promise<Hex> => {
    const hash = await wallet.deployContract(other);
    const { contractAddress } = await reads.waitForTransactionReceipt({ hash });
    return contractAddress as Hex;
  };
  const tear = { abi, functionName: 'tear', args: [3n], account: FUNDED_KEY } as const;
  const outcome = async (gas: bigint | undefined): Promise<{ status: string; gasUsed: bigint }> => {
    const address = await deploy();
    const limit = gas ?? (await reads.estimateContractGas({ ...tear, address }));
    const hash = await wallet.writeContract({ ...tear, address, gas: limit });
    return await reads.waitForTransactionReceipt({ hash });
  };
  const estimated = await outcome(undefined);
  expect(estimated.status).toBe('success');
  expect((await outcome(estimated.gasUsed)).status).toBe('reverted');
});

test('fees are charged only to the sender', async () => {
  const { reads, wallet } = world;
  const [from, to] = [{ address: FUNDED_KEY.address }, { address: UNFUNDED_KEY.address }];
  const before = { from: await reads.getBalance(from), to: await reads.getBalance(to) };
  const hash = await wallet.sendTransaction({ to: UNFUNDED_KEY.address, value: parseEther('1') });
  const { gasUsed, effectiveGasPrice } = await reads.waitForTransactionReceipt({ hash });
  expect(gasUsed * effectiveGasPrice).toBe(21_000n * 10_000_000n);
  expect(await reads.getBalance(to)).toBe(before.to + parseEther('1'));
  const paid = parseEther('1') + gasUsed * effectiveGasPrice;
  expect(await reads.getBalance(from)).toBe(before.from - paid);
});

test.each(['legacy', 'eip2930', 'eip1559'] as const)(
  'a transaction of type %s is accepted',
  async (type) => {
    const { reads, wallet } = world;
    const hash = await wallet.sendTransaction({
      to: UNFUNDED_KEY.address,
      value: 3n,
      type,
    } as never);
    const receipt = await reads.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ type, status: 'success' });
    const transaction = await reads.getTransaction({ hash });
    expect(transaction).toMatchObject({ type, value: 3n, from: FUNDED_KEY.address.toLowerCase() });
    const { blockHash, transactionIndex: index } = receipt;
    expect((await reads.getTransaction({ blockHash, index })).hash).toBe(hash);
    const block = await reads.getBlock({ blockHash, includeTransactions: true });
    expect(block.transactions.map((row) => row.hash)).toEqual([hash]);
  },
);

test('a program sees its block and the previous one, and the current time at the newest block', async () => {
  const { reads, clock } = world;
  const seen = { address: guestbook, abi: GUESTBOOK_ABI, functionName: 'seen' } as const;
  const head = await reads.getBlock();
  clock.ms += 3_600_000;
  const [number, time, before] = await reads.readContract(seen);
  expect([number, before]).toEqual([head.number, head.parentHash]);
  expect(Number(time)).toBe(Math.floor(clock.ms / 1000));
  const old = await reads.readContract({ ...seen, blockNumber: head.number - 1n });
  expect(old[0]).toBe(head.number - 1n);
  expect(old[1]).toBeLessThanOrEqual(head.timestamp);
});

test('a query about an earlier block returns the state at that block', async () => {
  const { reads, wallet } = world;
  const pages = { address: guestbook, abi: GUESTBOOK_ABI, functionName: 'pages' } as const;
  const blockNumber = await reads.getBlockNumber();
  const then = await reads.readContract(pages);
  const hash = await wallet.writeContract({ ...pages, functionName: 'sign', args: ['later'] });
  await reads.waitForTransactionReceipt({ hash });
  expect(await reads.readContract(pages)).toBe(then + 1n);
  expect(await reads.readContract({ ...pages, blockNumber })).toBe(then);
  expect(await reads.readContract(pages)).toBe(then + 1n);
});

test('many requests can be sent in one batch', async () => {
  const batched = createPublicClient({
    chain: world.network,
    transport: http(world.url, { batch: true }),
  });
  const answers = await Promise.all([
    batched.getChainId(),
    batched.getBalance({ address: guestbook }),
    batched.getBlockNumber(),
  ]);
  expect(answers).toEqual([CHAIN_ID, 5n, BigInt(world.chain.head.number)]);
});
