import { Agent, request } from 'node:http';

/**
 * Clients that stay within all documented limits, each with its own address, and request history
 * pages of the default size at the maximum rate. They run in their own process, so that reading
 * responses uses none of the venue's CPU time.
 */

export type Readers = {
  readonly port: number;
  readonly addresses: number;
  /** The accounts whose orders are queried, in rotation. */
  readonly users: readonly string[];
};

/** The number of responses by status, and the total number of bytes. */
export type ReadersResult = Readonly<Record<string, number>>;

const PER_SECOND = 45;

if (process.send !== undefined) {
  process.on('message', (message: Readers | 'stop') => {
    if (message === 'stop') process.send?.(counts, () => process.exit(0));
    else read(message);
  });
}

const counts: Record<string, number> = {};

function read({ addresses, port, users }: Readers): void {
  for (let index = 0; index < addresses; index++) {
    const localAddress = `127.0.3.${index + 1}`;
    const agent = new Agent({ keepAlive: true });
    let asked = 0;
    const ask = (): void => {
      const user = users[asked % users.length];
      asked += 1;
      const body = JSON.stringify({ type: 'historicalOrders', user });
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const target = { port, host: '127.0.0.1', path: '/info', method: 'POST', localAddress };
      const sent = request({ ...target, agent, headers }, (response) => {
        const status = `status ${response.statusCode}`;
        counts[status] = (counts[status] ?? 0) + 1;
        response.on('data', (part: Buffer) => {
          counts['bytes'] = (counts['bytes'] ?? 0) + part.length;
        });
      });
      sent.on('error', () => (counts['errors'] = (counts['errors'] ?? 0) + 1));
      sent.end(body);
    };
    // Client start times are spread over the interval.
    setTimeout(() => setInterval(ask, 1000 / PER_SECOND), (index * 1000) / PER_SECOND / addresses);
  }
}
