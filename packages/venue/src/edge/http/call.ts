import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Budget } from '../rate-limit.ts';
import type { Endpoint, StreamEndpoint } from './reply.ts';

/** One request and what its answer will need. */
export type Call = {
  readonly path: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedMs: number;
  readonly endpoint: Endpoint | StreamEndpoint | undefined;
  /** Whom its answer is counted for. */
  readonly client: string;
  budget: Budget | undefined;
  /** The client waits for a 100 before it sends its body. */
  awaitsContinue: boolean;
  /** What is let go of when the answer is sent or nobody waits for it any more. */
  readonly releases: (() => void)[];
  /** That has happened. */
  isOver: boolean;
  /** The connection ends with the answer: the rest of the body is not worth reading. */
  isLast: boolean;
};

/** Lets go of what the request held. */
export function leave(call: Call): void {
  call.isOver = true;
  for (const release of call.releases.splice(0)) release();
}
