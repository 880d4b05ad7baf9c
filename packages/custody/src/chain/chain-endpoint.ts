import { createClient, custom, http, type Transport } from 'viem';

/** One JSON-RPC endpoint of a chain. */
export type ChainEndpoint = {
  /** For operators: without what a URL says of keys. */
  readonly name: string;
  request(method: string, params: readonly unknown[]): Promise<unknown>;
};

/** An endpoint by URL. It is asked once: who asks decides whether and when to ask again. */
export function urlEndpoint(url: string, timeoutMs: number): ChainEndpoint {
  return endpointOf(hostOf(url), http(url, { timeout: timeoutMs, retryCount: 0 }));
}

/** An endpoint inside of the process. */
export function localEndpoint(
  name: string,
  rpc: (method: string, params: readonly unknown[]) => Promise<unknown>,
): ChainEndpoint {
  const request = ({ method, params }: { method: string; params?: unknown }): Promise<unknown> =>
    rpc(method, Array.isArray(params) ? params : []);
  return endpointOf(name, custom({ request }, { retryCount: 0 }));
}

function endpointOf(name: string, transport: Transport): ChainEndpoint {
  const client = createClient({ transport });
  const request = client.request as (call: {
    readonly method: string;
    readonly params: readonly unknown[];
  }) => Promise<unknown>;
  return { name, request: (method, params) => request({ method, params }) };
}

function hostOf(url: string): string {
  return new URL(url).host;
}
