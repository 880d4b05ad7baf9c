import type { ServerResponse } from 'node:http';
import type { Budget } from './rate-limiter.ts';
import type { StreamedReply } from './reply.ts';
import { pushBudget } from './respond.ts';

/**
 * Sends an answer part by part. The next part is made when the one before has left: a client that stops
 * reading holds what is under way and no more, and after a while its connection is ended.
 */
export async function sendParts(
  response: ServerResponse,
  { headers, parts }: Pick<StreamedReply, 'headers' | 'parts'>,
  budget: Budget | undefined,
): Promise<void> {
  const all = [
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    'content-disposition, date, retry-after',
    'cache-control',
    'no-store',
    ...headers,
  ];
  if (budget !== undefined) pushBudget(all, budget);
  response.writeHead(200, all);
  for await (const part of parts) {
    if (response.destroyed) return;
    if (part !== '' && !response.write(part)) await written(response);
    if (response.destroyed) return;
  }
  response.end();
}

function written(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
