import type { Hex } from 'viem';
import { ModelChain } from './relay/model-chain.ts';
import { ModelVenue } from './relay/model-venue.ts';
import type { Json } from './client.ts';
import { answerRpc, type JsonServer, serveJson } from './json-server.ts';

/** Serves a model venue and two model chains over HTTP to a relay in a separate process. */
export class ModelWorld {
  readonly venue = new ModelVenue();
  readonly chains: Readonly<Record<'base' | 'arbitrum', ModelChain>>;
  readonly urls = { venue: '', base: '', arbitrum: '' };
  /**
   * A hook that is called before each response. If it resolves to false, the request gets no
   * response; the hook itself may still apply the effect.
   */
  onRequest: (effect: () => Promise<unknown>) => Promise<boolean> = async () => true;
  readonly #servers: JsonServer[] = [];

  constructor(rich: readonly { readonly owner: Hex; readonly usdc: bigint }[]) {
    this.chains = {
      base: new ModelChain(84_532, rich),
      arbitrum: new ModelChain(421_614, rich),
    };
  }

  async open(): Promise<this> {
    this.urls.venue = await this.#serve(async (body, path) =>
      path === '/pegs' ? { success: true } : await this.venue.post(path, JSON.stringify(body)),
    );
    for (const name of ['base', 'arbitrum'] as const) {
      const chain = this.chains[name];
      this.urls[name] = await this.#serve((body) =>
        answerRpc(body, (method, params) => chain.rpc(method, params)),
      );
    }
    return this;
  }

  close(): void {
    for (const server of this.#servers) server.close();
  }

  async #serve(answer: (body: Json, path: string) => Promise<object>): Promise<string> {
    const server = await serveJson(async (body, path) => {
      const effect = (): Promise<object> => answer(body, path);
      return (await this.onRequest(effect)) ? await effect() : undefined;
    });
    this.#servers.push(server);
    return server.url;
  }
}
