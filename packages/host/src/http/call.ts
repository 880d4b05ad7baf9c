import type { PortCall } from '../ports/port-call.ts';
import type { Budget } from './rate-limiter.ts';
import type { Endpoint, StreamEndpoint } from './reply.ts';

/** One request of the edge and what its answer will need. */
export type Call = PortCall & {
  readonly path: string;
  readonly endpoint: Endpoint | StreamEndpoint | undefined;
  budget: Budget | undefined;
  /** What its work is called, once it is known. */
  what?: string | undefined;
};
