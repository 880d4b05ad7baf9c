import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Json } from '../support/client.ts';
import type { Chance } from '../support/seeded.ts';

/**
 * The maximum silence of a replica before another one is used; a serving one sends a block at least
 * every second.
 */
const SILENT_MS_MAX = 5_000;
const AGAIN_MS = 100;

type WandererOptions = {
  readonly urls: () => readonly string[];
  /** The block after which it begins. */
  readonly height: number;
  readonly path: string;
  readonly subscription: Json;
  readonly random: Chance;
  readonly rowsOf: (data: Json) => readonly Json[];
};

/**
 * Follows a channel of events on any replica: if a connection ends or goes silent it resumes on
 * another one after its last block. It stores every received row in order.
 */
export class Wanderer {
  readonly rows: Json[] = [];
  /** The last block with received rows. */
  height: number;
  /** The number of connections so far. */
  visits = 0;
  readonly #options: WandererOptions;
  #isOver = false;

  constructor(options: WandererOptions) {
    this.#options = options;
    this.height = options.height;
  }

  async wander(): Promise<void> {
    while (!this.#isOver) {
      const urls = this.#options.urls();
      if (urls.length > 0) await this.#visit(this.#options.random.pick(urls));
      await sleep(AGAIN_MS);
    }
  }

  end(): void {
    this.#isOver = true;
  }

  /** Resolves when this connection is finished. */
  async #visit(url: string): Promise<void> {
    const { path, subscription } = this.#options;
    const socket = new WebSocket(url.replace('http', 'ws') + path);
    const ended = Promise.withResolvers<void>();
    let heardMs = Date.now();
    const watch = setInterval(() => {
      if (this.#isOver || Date.now() - heardMs > SILENT_MS_MAX) socket.terminate();
    }, AGAIN_MS);
    socket.on('open', () => {
      this.visits += 1;
      const resumeFrom = { height: this.height };
      socket.send(JSON.stringify({ method: 'subscribe', subscription, resumeFrom }));
    });
    socket.on('message', (text) => {
      heardMs = Date.now();
      // A frame in the same chunk as the one that ended the connection.
      if (socket.readyState !== WebSocket.OPEN) return;
      const frame = JSON.parse(String(text)) as Json;
      // This replica is too far behind; another one is not.
      if (frame.channel === 'resync') socket.terminate();
      else if (frame.channel === subscription.type) this.#take(frame);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => ended.resolve());
    await ended.promise;
    clearInterval(watch);
  }

  #take({ data, height }: Json): void {
    this.rows.push(...this.#options.rowsOf(data));
    this.height = Math.max(this.height, height ?? 0);
  }
}
