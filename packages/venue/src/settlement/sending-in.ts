import { type ChainEndpoint, ChainUnavailableError } from '@oddlot/custody/chain';
import type { Term } from '../lease/lease.ts';

/**
 * The last check before a transaction leaves this process. It is not a fence, because a process can be
 * suspended behind it: the fence is what is written to the records first, and what the bridge accepts
 * only once. Commands are fenced by their term in the log (R-terms).
 */
export function sendingIn(term: Term, { name, request }: ChainEndpoint): ChainEndpoint {
  return {
    name,
    request: async (method, params) => {
      if (method === 'eth_sendRawTransaction' && term.isOver()) {
        throw new ChainUnavailableError('another replica runs settlement now');
      }
      return request(method, params);
    },
  };
}
