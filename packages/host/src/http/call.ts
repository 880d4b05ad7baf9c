import type { PortCall } from '../ports/port-call.ts';
import type { Budget } from './rate-limiter.ts';
import type { AnyEndpoint } from './reply.ts';

/** One request of the edge and what its answer will need. */
export type Call = PortCall & {
  readonly path: string;
  readonly endpoint: AnyEndpoint | undefined;
  budget: Budget | undefined;
  /** What its work is called, once it is known. */
  what?: string | undefined;
};
