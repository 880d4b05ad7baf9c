import { type ChainEndpoint, ChainUnavailableError } from '@oddlot/custody/chain';
import type { Term } from '../lease/lease.ts';
import type { SettlingReplica } from './settlement.ts';

/**
 * What a term of a lease may do ends with it: the last look before something leaves this process. It is no fence, since a process can
 * be frozen behind it; that is what is written down first, and what the log and the bridge take once.
 */

/** Transactions leave within the term; whoever asks only may go on. */
export function sendingIn(term: Term, { name, request }: ChainEndpoint): ChainEndpoint {
  return {
    name,
    request: async (method, params) => {
      if (method === 'eth_sendRawTransaction') assertWithin(term);
      return request(method, params);
    },
  };
}

/** And so do commands. */
export function proposingIn(term: Term, replica: SettlingReplica): SettlingReplica {
  return {
    get state() {
      return replica.state;
    },
    propose: async (command) => {
      assertWithin(term);
      return replica.propose(command);
    },
  };
}

function assertWithin(term: Term): void {
  if (term.isOver()) throw new ChainUnavailableError('another replica works on the chain now');
}
