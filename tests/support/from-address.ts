import { type Agent, request } from 'node:http';
import { API_VERSION, type Json } from './client.ts';

export type Answer = { readonly status: number; readonly json: Json; readonly ms: number };

/**
 * Posts from a local address, because request limits apply per address. `ms` is the time taken to
 * receive the full response.
 */
export function postFrom(
  { agent, localAddress, url }: { agent: Agent; localAddress: string; url: URL },
  body: unknown,
): Promise<Answer> {
  const text = JSON.stringify(body);
  const startedMs = performance.now();
  const headers = { 'content-type': 'application/json', 'x-api-version': API_VERSION };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, localAddress, headers }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (part: string) => (answer += part));
      response.once('end', () => {
        const ms = performance.now() - startedMs;
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(answer), ms });
      });
    });
    sent.once('error', reject);
    sent.end(text);
  });
}
