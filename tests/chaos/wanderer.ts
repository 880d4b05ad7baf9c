import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Json } from '../support/client.ts';
import type { Chance } from '../support/seeded.ts';

/** How long a replica may say nothing until another one is asked; one that serves tells a block at least every second. */
const SILENT_MS_MAX = 5_000;
const AGAIN_MS = 100;

type WandererOptions = {
  readonly urls: () => readonly string[];
  /** The block behind which it begins. */
  readonly height: number;
  readonly path: string;
  readonly subscription: Json;
  readonly random: Chance;
  readonly rowsOf: (data: Json) => readonly Json[];
};

/**
 * Follows a channel of facts at whatever replica is there: when a line ends or falls silent it goes on at another one behind the
 * last block that it has. It keeps every row that it was told, in the order in which they came.
 */
export class Wanderer {
  readonly rows: Json[] = [];
  /** The last block that it was told rows of. */
  height: number;
  /** How often it was at a replica. */
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

  /** Resolves when there is nothing more to hear from this one. */
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
      // What came in the same piece as what made it leave.
      if (socket.readyState !== WebSocket.OPEN) return;
      const frame = JSON.parse(String(text)) as Json;
      // It is further behind than it would wait for: another one is not.
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
