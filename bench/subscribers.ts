import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Await, Got, Join } from './subscriber-process.ts';

export class Subscribers {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit').then(() => {
      throw new Error('the subscribers ended');
    });
    this.#ended.catch(() => undefined);
  }

  /** Resolves after all subscribers have received their opening frames. */
  static async join(wanted: Join): Promise<Subscribers> {
    const subscribers = new Subscribers(fork(join(import.meta.dirname, 'subscriber-process.ts')));
    await subscribers.#ask(wanted);
    return subscribers;
  }

  /** Returns the next frames when every subscriber has received all of them unchanged. */
  async next(frames: number): Promise<Buffer[]> {
    const got = await this.#ask({ frames });
    return got.frames.map((each) => Buffer.from(each, 'base64'));
  }

  async leave(): Promise<void> {
    this.#child.kill();
    await this.#ended.catch(() => undefined);
  }

  async #ask(message: Join | Await): Promise<Got> {
    this.#child.send(message);
    const [got] = (await Promise.race([once(this.#child, 'message'), this.#ended])) as [Got];
    if (got.fault !== undefined) throw new Error(`subscribers: ${got.fault}`);
    return got;
  }
}
