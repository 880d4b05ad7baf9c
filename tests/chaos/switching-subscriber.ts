import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Json } from '../support/client.ts';
import type { SeededRandom } from '../support/seeded.ts';

/**
 * The maximum time without a frame before the subscriber switches to another replica. A replica
 * that is serving sends a block at least every second.
 */
const SILENT_MS_MAX = 5_000;
const AGAIN_MS = 100;

type WandererOptions = {
  readonly urls: () => readonly string[];
  /** The subscription begins after this block. */
  readonly height: number;
  readonly path: string;
  readonly subscription: Json;
  readonly random: SeededRandom;
  readonly rowsOf: (data: Json) => readonly Json[];
};

/**
 * Follows a channel on any replica. If a connection ends or goes silent, the subscriber resumes on
 * another replica after its last block. It stores every row received, in order.
 */
export class SwitchingSubscriber {
  readonly rows: Json[] = [];
  /** The last block whose rows were received. */
  height: number;
  /** The number of connections opened so far. */
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

  /** Resolves once this connection has ended. */
  async #visit(url: string): Promise<void> {
    const { path, subscription } = this.#options;
    const socket = new WebSocket(url.replace('http', 'ws') + path);
    const ended = Promise.withResolvers<void>();
    let lastFrameMs = Date.now();
    const watch = setInterval(() => {
      if (this.#isOver || Date.now() - lastFrameMs > SILENT_MS_MAX) socket.terminate();
    }, AGAIN_MS);
    socket.on('open', () => {
      this.visits += 1;
      const resumeFrom = { height: this.height };
      socket.send(JSON.stringify({ method: 'subscribe', subscription, resumeFrom }));
    });
    socket.on('message', (text) => {
      lastFrameMs = Date.now();
      // This frame was in the same chunk as the one that ended the connection.
      if (socket.readyState !== WebSocket.OPEN) return;
      const frame = JSON.parse(String(text)) as Json;
      // This replica is too far behind, so another one is used.
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
