import { eventually, type Json } from '../support/client.ts';
import type { Venue } from '../support/venue-process.ts';

/**
 * Measures a venue's memory from outside. A signal opens the venue's inspector, which first
 * collects garbage. The venue must have been started with `INSPECTABLE` in its environment, so that
 * the inspector uses any free port.
 */

export const INSPECTABLE = { name: 'NODE_OPTIONS', value: '--inspect-port=0' } as const;

export class HeapProbe {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: Json) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data));
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
  }

  static async open(venue: Venue): Promise<HeapProbe> {
    process.kill(venue.pid, 'SIGUSR1');
    const address = await eventually(() => {
      const found = /Debugger listening on (ws:\S+)/.exec(venue.stderr)?.[1];
      if (found === undefined) throw new Error('The inspector is not open yet');
      return found;
    });
    const socket = new WebSocket(address);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error('The inspector refused')));
    });
    return new HeapProbe(socket);
  }

  /** Returns the number of bytes in use after garbage collection. */
  async used(): Promise<number> {
    await this.#call('HeapProfiler.collectGarbage');
    return (await this.#call('Runtime.getHeapUsage')).usedSize;
  }

  close(): void {
    this.#socket.close();
  }

  async #call(method: string): Promise<Json> {
    const id = (this.#lastId += 1);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method }));
    });
  }
}
