import type { AddressInfo } from 'node:net';
import type { RtdsClientFrame } from '@oddlot/protocol';
import { WebSocketServer, type WebSocket } from 'ws';

/** A scripted WebSocket server that implements the /ws-rtds protocol. */
export class FakePrices {
  /** All received frames except pings. */
  readonly frames: RtdsClientFrame[] = [];
  pings = 0;
  connectionCount = 0;
  refusal: { topic: string; payload: { message: string; code?: string } } | undefined;
  #server = new WebSocketServer({ port: 0, host: '127.0.0.1' });

  private constructor() {
    this.#server.on('connection', (socket) => {
      this.connectionCount += 1;
      socket.on('message', (data) => this.#answer(socket, String(data)));
    });
  }

  static async start(): Promise<FakePrices> {
    const prices = new FakePrices();
    await new Promise((resolve) => prices.#server.once('listening', resolve));
    return prices;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ws-rtds`;
  }

  publish(topic: string, symbol: string, value: number): void {
    const full_accuracy_value = `${value}${'0'.repeat(18)}`;
    const payload = { symbol, timestamp: value, value, full_accuracy_value };
    const frame = { topic, type: 'update', timestamp: value, payload, connection_id: 'c' };
    for (const socket of this.#server.clients) socket.send(JSON.stringify(frame));
  }

  /** Terminates all connections without a close frame. */
  cut(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Responds to a subscription for one symbol with a recent price. */
  #answer(socket: WebSocket, text: string): void {
    if (text === 'PING') {
      this.pings += 1;
      socket.send('PONG');
      return;
    }
    const frame = JSON.parse(text) as RtdsClientFrame;
    this.frames.push(frame);
    if (this.refusal !== undefined) {
      socket.send(JSON.stringify({ ...this.refusal, type: 'error' }));
      this.refusal = undefined;
      return;
    }
    for (const { topic, filters } of frame.action === 'subscribe' ? frame.subscriptions : []) {
      if (filters === undefined) continue;
      const { symbol } = JSON.parse(filters) as { symbol: string };
      const payload = { symbol, data: [{ timestamp: 1, value: 1 }] };
      socket.send(JSON.stringify({ topic, type: 'subscribe', timestamp: 1, payload }));
    }
  }
}
