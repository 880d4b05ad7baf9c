import { parentPort, workerData } from 'node:worker_threads';
import { VenueClock } from '../clock.ts';
import type { ChainThreadOptions } from './chain-thread.ts';
import { LocalChain } from './local-chain.ts';

/** The thread of a local chain: opens it and its port, says where that is, and closes both when told. */

if (parentPort === null) throw new Error('the chain runs in a thread');
const port = parentPort;
const { listen, ...options } = workerData as ChainThreadOptions;
const clock = new VenueClock();
const chain = await LocalChain.open({ ...options, nowMs: () => clock.nowMs() });
const server = await chain.listen(listen);
port.once('message', () => {
  void chain.close().then(() => port.close());
});
port.postMessage({ url: server.url, port: server.port });
