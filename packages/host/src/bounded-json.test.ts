import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '@oddlot/testing/host/listen';
import { AnswerTooLongError, boundedJson } from './bounded-json.ts';

test('a response is read up to its size limit, and an endless one is cut off', async () => {
  let [sent, isOpen] = [0, true];
  const server = createServer((request, response) => {
    if (request.url === '/short') return void response.end(`["${'a'.repeat(996)}"]`);
    response.on('close', () => (isOpen = false));
    const more = (): void => {
      if (!isOpen) return;
      sent += 1024;
      if (response.write('['.repeat(1024))) setImmediate(more);
      else response.once('drain', more);
    };
    return more();
  });
  try {
    const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
    const short = async (): Promise<Response> => await fetch(`${url}/short`);
    expect(await boundedJson(await short(), 1_000)).toHaveLength(1);
    await expect(boundedJson(await short(), 999)).rejects.toThrow(AnswerTooLongError);
    await expect(boundedJson(await fetch(url), 100_000)).rejects.toThrow(AnswerTooLongError);
    await expect.poll(() => isOpen).toBe(false);
    expect(sent).toBeLessThan(16_000_000);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});
