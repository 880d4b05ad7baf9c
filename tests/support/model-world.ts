import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hex } from 'viem';
import { ModelChain } from '../../packages/relay/src/testing/model-chain.ts';
import { ModelVenue } from '../../packages/relay/src/testing/model-venue.ts';

/** A model venue and two model chains behind URLs, for a relay that is a process of its own. */
export class ModelWorld {
  readonly venue = new ModelVenue();
  readonly chains: Readonly<Record<'base' | 'arbitrum', ModelChain>>;
  readonly urls = { venue: '', base: '', arbitrum: '' };
  /** Called before each answer; what it resolves to false is never answered, and has an effect or none. */
  onRequest: (effect: () => Promise<unknown>) => Promise<boolean> = async () => true;
  readonly #servers: Server[] = [];

  constructor(rich: readonly { readonly owner: Hex; readonly usdc: bigint }[]) {
    this.chains = {
      base: new ModelChain(84_532, rich),
      arbitrum: new ModelChain(421_614, rich),
    };
  }

  async open(): Promise<this> {
    this.urls.venue = await this.#serve((path, text) =>
      path === '/pegs' ? Promise.resolve({ success: true }) : this.venue.post(path, text),
    );
    for (const name of ['base', 'arbitrum'] as const) {
      this.urls[name] = await this.#serve((_, text) => answerRpc(this.chains[name], text));
    }
    return this;
  }

  close(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  async #serve(answer: (path: string, text: string) => Promise<unknown>): Promise<string> {
    const server = createServer(async (request, response) => {
      const text = await textOf(request);
      const effect = (): Promise<unknown> => answer(request.url ?? '/', text);
      if (!(await this.onRequest(effect))) return void request.socket.destroy();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(await effect()));
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text;
}

async function answerRpc(chain: ModelChain, text: string): Promise<object> {
  const { id, method, params } = JSON.parse(text) as {
    readonly id: number;
    readonly method: string;
    readonly params: readonly unknown[];
  };
  try {
    return { jsonrpc: '2.0', id, result: await chain.rpc(method, params) };
  } catch (error) {
    const { code = -32_000, message } = error as Error & { readonly code?: number };
    return { jsonrpc: '2.0', id, error: { code, message } };
  }
}
