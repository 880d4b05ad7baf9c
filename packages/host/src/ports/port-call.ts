import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request of a port, and what is held for it. */
export type PortCall = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedMs: number;
  /** Who asks, and whom it is counted for. */
  readonly ip: string;
  readonly client: string;
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
export function leave(call: PortCall): void {
  call.isOver = true;
  for (const release of call.releases.splice(0)) release();
}
