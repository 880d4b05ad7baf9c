import { existsSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Authority } from '@oddlot/engine';
import { authorityOf } from '@oddlot/replica/block';
import { BlockBuffer } from '@oddlot/replica/log/block-codec';
import { createLogger } from '@oddlot/host/log';
import { afterAll, describe, expect, test } from 'vitest';
import { NETWORKS } from '@oddlot/protocol';
import { explainJob } from './read-request.ts';
import { commandIn, type EncodedCommand, type ReadCommand } from './recover-messages.ts';
import type { RecoverBackend } from './recover-backend.ts';
import { RecoverPool, RecoverUnavailableError } from './recover-pool.ts';
import { multiSigned, orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';

const network = NETWORKS.testnet;
const silent = createLogger({ level: 'silent' });
const pools: RecoverPool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

function pool(options: Partial<ConstructorParameters<typeof RecoverPool>[0]> = {}): RecoverPool {
  const made = new RecoverPool({ network, log: silent, size: 1, ...options });
  pools.push(made);
  return made;
}

/** The first job accepts all nonces; the second treats all nonces as too old. */
const ANY = { isLarge: false, nonceAfter: 0, nonceBefore: Infinity };
const TOO_OLD = { ...ANY, nonceAfter: Number.MAX_SAFE_INTEGER };

const alice = testKey(0x11);
const order = (nonce: number, key = alice) => signed(orderAction(), { key, nonce });

/** Returns the signer and the hash from a command that a thread has encoded. */
function authorityIn(read: ReadCommand): Authority {
  if (!('envelope' in read) || read.command === undefined) throw new Error('no command');
  return authorityOf(commandIn(read.command.encoded));
}

describe.each<RecoverBackend>(['secp256k1', 'libauth'])('with %s', (backend) => {
  test('the pool recovers the signer and the hash of a request', async () => {
    const lines: object[] = [];
    const write = (line: string): number => lines.push(JSON.parse(line) as object);
    const log = createLogger({ level: 'info', destination: { write } });
    const workers = pool({ backend, log });
    expect(await workers.ready()).toBe(backend);
    expect(lines).toMatchObject([{ backend, recoverUs: expect.any(Number) as number }]);
    const text = order(1_800_000_000_000);
    const recovered = await workers.recover(text);
    expect(recovered.signer).toBe(alice.address);
    expect(recovered.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(authorityIn(await workers.read(text, ANY))).toMatchObject(recovered);
    expect(await workers.read(text, TOO_OLD)).not.toHaveProperty('command');
    expect(await workers.read(text, TOO_OLD)).toMatchObject({ txHash: recovered.txHash });
  });

  test('an invalid signature results in no signer', async () => {
    const workers = pool({ backend });
    const text = order(5);
    const highS = text.replace(/"s":"0x[0-9a-f]+"/, `"s":"0x${'f'.repeat(64)}"`);
    expect((await workers.recover(highS)).signer).toBeUndefined();
    const zeroR = text.replace(/"r":"0x[0-9a-f]+"/, '"r":"0x0"');
    expect((await workers.recover(zeroR)).signer).toBeUndefined();
  });
});

test("occasional requests are read on the caller's thread, and most requests of a burst on another thread", async () => {
  const program = new URL('./recover-worker.ts', import.meta.url);
  const messages: unknown[] = [];
  const startRecoverer = (workerData: object): Worker => {
    const worker = new Worker(program, { workerData });
    const postMessage = worker.postMessage.bind(worker);
    worker.postMessage = (message: unknown) => {
      messages.push(message);
      postMessage(message);
    };
    return worker;
  };
  const workers = pool({ backend: 'secp256k1', startRecoverer });
  await workers.ready();
  const read = async (text: string, nonce: number): Promise<void> => {
    expect(authorityIn(await workers.read(text, ANY))).toMatchObject({
      signer: alice.address,
      nonce,
    });
  };
  await read(order(1), 1);
  // The first request is slow to read, because its code is still being compiled, and this time
  // counts.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(messages).toEqual([]);
  workers.learn([[1, 5]]);
  expect(await workers.read(order(2), ANY)).toHaveProperty('command.scales', [[1, 5]]);
  expect(messages).toEqual([]);
  const texts = Array.from({ length: 30 }, (_, index) => order(3 + index));
  await Promise.all(texts.map((text, index) => read(text, 3 + index)));
  expect(messages.length).toBeGreaterThan(0);
});

test('R-requests: a single request is processed second, however many requests another client has sent', async () => {
  const workers = pool();
  const done: string[] = [];
  const read = async (nonce: number, client: string): Promise<void> => {
    await workers.read(order(nonce), ANY, client);
    done.push(client);
  };
  const many = Array.from({ length: 100 }, (_, nonce) => read(nonce, 'greedy'));
  await Promise.all([...many, read(100, 'modest')]);
  expect(done.indexOf('modest')).toBe(1);
});

test('the inner signers of a wrapper are recovered, and invalid ones are undefined', async () => {
  const workers = pool();
  const [ann, ben] = [testKey(1), testKey(2)];
  const wrapper = { user: alice.address, outer: ann, inner: [ben, ann], nonce: 5 };
  const text = multiSigned(orderAction(), wrapper);
  const recovered = await workers.recover(text);
  expect(recovered).toEqual({
    signer: ann.address,
    innerSigners: [ben.address, ann.address],
    txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
  });
  expect(authorityIn(await workers.read(text, ANY))).toMatchObject({
    signer: ann.address,
    txHash: recovered.txHash,
    multiSig: { user: alice.address, signers: [ben.address, ann.address] },
  });
  const { action } = JSON.parse(text) as { action: { signatures: { r: string }[] } };
  for (const signature of action.signatures.slice(1)) signature.r = '0x0';
  const broken = signed(action, { key: ann, nonce: 5 });
  expect((await workers.recover(broken)).innerSigners).toEqual([ben.address, undefined]);
});

test('a command is encoded as in blocks, with the scales that the thread has been sent', async () => {
  const workers = pool({ size: 2 });
  const text = order(9);
  const read = async (): Promise<EncodedCommand> => {
    const answer = await workers.read(text, ANY);
    if (!('envelope' in answer) || answer.command === undefined) throw new Error('no command');
    return answer.command;
  };
  expect((await read()).scales).toEqual([[1, undefined]]);
  workers.learn([[1, 5]]);
  for (const { encoded, scales } of await Promise.all([read(), read(), read(), read()])) {
    expect(scales).toEqual([[1, 5]]);
    const command = commandIn(encoded);
    const { action } = JSON.parse(text) as { action: { orders: { s: string }[] } };
    expect(command).toMatchObject({
      orders: [{ size: Math.round(Number(action.orders[0]!.s) * 1e5) }],
    });
    const buffer = new BlockBuffer();
    buffer.writeBlock([{ command, request: text }]);
    expect(Buffer.from(encoded)).toEqual(buffer.bytes.subarray(0, buffer.length));
    const copied = new BlockBuffer();
    copied.writeBlock([{ command, request: text, encoded }]);
    expect(copied.bytes.subarray(0, copied.length)).toEqual(Buffer.from(encoded));
  }
  for (const szDecimals of [-1, -4, undefined]) {
    workers.learn([[1, szDecimals]]);
    expect((await read()).scales).toEqual([[1, szDecimals]]);
  }
});

test('the request is logged without insignificant whitespace', async () => {
  const workers = pool();
  const text = order(9);
  const padded = text.replaceAll(',', ' , ');
  const [plain, spaced] = await Promise.all([text, padded].map((each) => workers.read(each, ANY)));
  expect(plain).not.toHaveProperty('command.request');
  expect(spaced).toHaveProperty('command.request', text);
});

test('when many requests arrive in one turn, each gets its own signer', async () => {
  const workers = pool({ size: 2 });
  const keys = [testKey(1), testKey(2), testKey(3)];
  const texts = Array.from({ length: 150 }, (_, index) => order(1000 + index, keys[index % 3]));
  const answers = await Promise.all(texts.map((text) => workers.recover(text)));
  for (const [index, answer] of answers.entries()) {
    expect(answer.signer).toBe(keys[index % 3]?.address);
  }
  expect(new Set(answers.map((answer) => answer.txHash)).size).toBe(150);
  expect(workers.length).toBe(0);
});

test('a text that violates the strict rules is refused, giving the position of the fault', async () => {
  const workers = pool();
  const text = order(7);
  const twice = text.replace('"nonce":7', '"nonce":7,"nonce":7');
  expect(await workers.recover(twice)).toMatchObject({ fault: 'duplicate key' });
  expect(await workers.recover(text.replace('"nonce":7', '"nonce":7.0'))).toMatchObject({
    fault: 'not an integer',
    at: expect.any(Number) as number,
  });
  expect(await workers.recover('{"action":5}')).toHaveProperty('fault');
  expect(await workers.recover('[]')).toHaveProperty('fault');
});

test('if a thread ends unexpectedly, its jobs fail and it is replaced', async () => {
  const program = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ jobs }) => {
        if (jobs.includes('die')) process.exit(3);
        const parts = [{ signer: '0xabc', txHash: '0xdef' }];
        parentPort.postMessage({ parts, encoded: new Uint8Array(0) });
      });
      parentPort.postMessage({ backend: 'libauth', recoverUs: 400 });
    `)}`,
  );
  let lost = 0;
  const workers = pool({ startRecoverer: () => new Worker(program), onWorkerLost: () => lost++ });
  await workers.ready();
  await expect(workers.recover('die')).rejects.toThrow(RecoverUnavailableError);
  expect(lost).toBe(1);
  expect(await workers.recover('live')).toEqual({ signer: '0xabc', txHash: '0xdef' });
});

test('a full queue and a closed pool reject requests', async () => {
  const workers = pool({ queueMax: 1 });
  const first = workers.explain('{}');
  await expect(workers.explain('{}')).rejects.toThrow('too many');
  expect(await first).toHaveProperty('fault');
  const [pending] = await Promise.allSettled([workers.explain('{}'), workers.close()]);
  expect(pending).toMatchObject({
    status: 'rejected',
    reason: { name: 'RecoverUnavailableError' },
  });
  await expect(workers.explain('{}')).rejects.toThrow('closed');
});

test('signatures are explained between other jobs, and an invalid envelope is refused', async () => {
  const workers = pool();
  const context = {
    otherNetworks: [NETWORKS.mainnet],
    settlementChainId: 421_614,
    vaults: [],
  };
  const mainnet = signed(orderAction(), { key: alice, nonce: 5, network: NETWORKS.mainnet });
  const ask = (envelope: string) =>
    workers.explain(explainJob(context, `{"envelope":${envelope},"type":"explainSignature"}`));
  const [right, wrong, none, recovered] = await Promise.all([
    ask(order(5)),
    ask(mainnet),
    ask('{}'),
    workers.recover(order(6)),
  ]);
  expect(right.explanation?.facts.signer).toBe(alice.address);
  const found = wrong.explanation?.attempts.filter(({ signer }) => signer === alice.address);
  expect(found).toMatchObject([{ mistake: 'networkName' }]);
  expect(none).toMatchObject({ fault: 'not an envelope' });
  expect(recovered.signer).toBe(alice.address);
});

const VECTORS = new URL('../../../tests/vectors/signing.json', import.meta.url);

test.runIf(existsSync(VECTORS))(
  'the pool recovers the signers and hashes of the signing vectors',
  async () => {
    type Case = {
      name: string;
      scheme: string;
      action: string;
      nonce: number;
      vaultAddress: string | null;
      signatureChainId: number | null;
      expiresAfter: number | null;
      serviceNetwork: string;
      chainId: number;
      apiVersion: number;
      signature: { r: string; s: string; v: number };
      signer: string;
      txHash: string;
    };
    const { cases } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { cases: Case[] };
    const byNetwork = Map.groupBy(cases, (one) => `${one.serviceNetwork} ${one.chainId}`);
    for (const group of byNetwork.values()) {
      const [{ serviceNetwork, chainId, apiVersion } = network] = group;
      const workers = pool({ network: { serviceNetwork, chainId, apiVersion } });
      for (const one of group) {
        const { nonce, vaultAddress, signatureChainId, expiresAfter, signature } = one;
        const rest = { signature, nonce, vaultAddress, signatureChainId, expiresAfter };
        const text = `{"action":${one.action},${JSON.stringify(rest).slice(1)}`;
        const answer = await workers.recover(text);
        expect(answer, one.name).toMatchObject({ signer: one.signer, txHash: one.txHash });
      }
    }
  },
);
