import { boundedFetch } from '@oddlot/host/bounded-json';
import { createClient, custom, http, type Transport } from 'viem';

/** One JSON-RPC endpoint of a chain. */
export type ChainEndpoint = {
  /** For operators: without what a URL says of keys. */
  readonly name: string;
  request(method: string, params: readonly unknown[]): Promise<unknown>;
};

/** The logs of a long range can be long; what is longer than this is no answer. */
const ANSWER_BYTES_MAX = 10_000_000;

/**
 * An endpoint by URL. It is asked once: who asks decides whether and when to ask again. The time is that of the whole answer:
 * the library's own ends with the first line of it, and who then sends nothing more would be waited for without end.
 */
export function urlEndpoint(url: string, timeoutMs: number): ChainEndpoint {
  const fetchFn = boundedFetch(ANSWER_BYTES_MAX) as typeof fetch;
  return endpointOf(hostOf(url), http(url, { timeout: timeoutMs, retryCount: 0, fetchFn }));
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
