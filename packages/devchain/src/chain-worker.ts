import { parentPort, workerData } from 'node:worker_threads';
import { VenueClock } from '@oddlot/host/clock';
import { lowerThreadPriority } from '@oddlot/host/operate';
import type { PageOrigins } from '@oddlot/host/ports';
import type { ChainAnswer, ChainMessage, ChainThreadOptions } from './start-chain-thread.ts';
import { LocalChain } from './local-chain.ts';
import { RpcError } from './core/rpc-error.ts';

/**
 * The thread that runs a local chain. It opens the chain and its port, reports the address, serves
 * its owner, and closes on request.
 */

if (parentPort === null) throw new Error('the chain runs in a thread');
const port = parentPort;
lowerThreadPriority();
const { listen, listenForOwner, ...options } = workerData as ChainThreadOptions;
const clock = new VenueClock();
const chain = await LocalChain.open({ ...options, nowMs: () => clock.nowMs() });
const pages: PageOrigins = { ports: new Set(), origins: new Set(listen.pageOrigins) };
const server = await chain.listen({ ...listen, pages });
const own = listenForOwner && (await chain.listenForOwner(listenForOwner));
port.on('message', (message: ChainMessage) => {
  if (message === 'close') void chain.close().then(() => port.close());
  else if ('pagePort' in message) pages.ports.add(message.pagePort);
  else void answer(message.id, message.method, message.params);
});
port.postMessage({ url: server.url, port: server.port, ownerUrl: own?.url });

async function answer(id: number, method: string, params: readonly unknown[]): Promise<void> {
  const reply: ChainAnswer = await chain.rpc(method, params).then(
    (result) => ({ id, result }),
    (error: unknown) => {
      const known = error instanceof RpcError ? error : new RpcError(-32603, String(error));
      return { id, error: { code: known.code, message: known.message, data: known.data } };
    },
  );
  port.postMessage(reply);
}
