import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards connections from one loopback port to another, and lets a test cut them. */
export class CuttableProxy {
  readonly #server = createServer((near) => this.#join(near));
  readonly #behind: URL;
  readonly #sockets = new Set<Socket>();

  private constructor(url: string) {
    this.#behind = new URL(url);
  }

  static async open(url: string): Promise<CuttableProxy> {
    const proxy = new CuttableProxy(url);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #join(near: Socket): void {
    const far = connect(Number(this.#behind.port), this.#behind.hostname);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        (socket === near ? far : near).destroy();
      });
    }
  }
}
