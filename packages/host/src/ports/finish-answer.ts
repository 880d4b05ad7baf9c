import type { IncomingMessage, ServerResponse } from 'node:http';
import { canDropRest, endLingering } from './read-body.ts';

type FinishedAnswer = {
  readonly status: number;
  /** Empty for none. */
  readonly body: string | Buffer;
  /** Name and value in turn. */
  readonly headers: readonly string[];
  /** The connection ends with this answer. */
  readonly isLast: boolean;
};

/** Sends an answer as a whole, also to a client that still sends. */
export function finishAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers: given, isLast, status }: FinishedAnswer,
): void {
  const headers = [...given];
  // A 204 has no body at all, not an empty one; and a 304 says nothing about the one that is kept.
  if (status !== 204 && status !== 304) {
    headers.push('content-length', String(Buffer.byteLength(body)));
  }
  const isClosing = isLast || !canDropRest(request);
  if (isClosing) headers.push('connection', 'close');
  response.writeHead(status, headers);
  const sent = request.method === 'HEAD' ? '' : body;
  if (!isClosing || request.complete) {
    response.end(sent);
    return;
  }
  if (sent === '') response.flushHeaders();
  else response.write(sent);
  endLingering(request, response);
}
