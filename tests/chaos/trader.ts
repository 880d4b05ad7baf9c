import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Crosser, Rester, Sent } from '../crash/load.ts';
import { Client, type Reply } from '../support/client.ts';
import type { SeededRandom } from '../support/seeded.ts';

/**
 * The time after which the request is sent to another replica, in milliseconds. A response that
 * arrives later still counts.
 */
const CONVERGE_MS_MAX = 4_000;
const AGAIN_MS = 150;
/** The status codes of transient failures. */
const PASSING: ReadonlySet<number> = new Set([202, 429, 502, 503]);
/** The requests of all traders, and statistics of the responses. */
const STALE = /^Oracle is stale for /;

/** All traders' requests, along with the responses that should never have been sent. */
export type SentRequest = {
  readonly sent: Sent[];
  /**
   * Responses that are neither an acceptance nor a transient failure, and responses to repeated
   * requests that differ from the first. None are expected.
   */
  readonly surprises: string[];
  /** The number of requests sent more than once. */
  repeated: number;
  acknowledged: number;
};

/**
 * Sends a user's actions to any replica. It resends the same bytes to other replicas until one
 * responds, and sends some requests to two replicas at once.
 */
export class Trader {
  readonly #one: Rester | Crosser;
  readonly #urls: () => readonly string[];
  readonly #dealings: SentRequest;
  readonly #random: SeededRandom;

  constructor(
    one: Rester | Crosser,
    parts: {
      readonly urls: () => readonly string[];
      readonly dealings: SentRequest;
      readonly random: SeededRandom;
    },
  ) {
    this.#one = one;
    this.#urls = parts.urls;
    this.#dealings = parts.dealings;
    this.#random = parts.random;
  }

  /** Sends one request until a replica responds. */
  async deal(): Promise<void> {
    const { action, cloids, kind } = this.#one.next(this.#random);
    const { actor } = this.#one;
    const signed = await actor.sign(action);
    const sent: Sent = { actor, kind, signed, confirm: true, cloids };
    this.#dealings.sent.push(sent);
    const isTwice = this.#random.next() < 0.1;
    for (let attempt = 0; sent.acknowledged === undefined; attempt += 1) {
      if (attempt === 1) this.#dealings.repeated += 1;
      const tries = isTwice && attempt === 0 ? 2 : 1;
      await Promise.race([
        Promise.all(Array.from({ length: tries }, () => this.#ask(sent))),
        sleep(CONVERGE_MS_MAX),
      ]);
      if (sent.acknowledged === undefined) await sleep(AGAIN_MS);
    }
  }

  async #ask(sent: Sent): Promise<void> {
    const urls = this.#urls();
    if (urls.length === 0) return;
    let reply: Reply;
    try {
      reply = await new Client(this.#random.pick(urls)).executed(sent.signed);
    } catch {
      // The connection was lost. The next replica will report whether the request was executed.
      return;
    }
    if (reply.json === undefined || PASSING.has(reply.status)) return;
    if (STALE.test(reply.json.message)) return;
    this.#answered(sent, reply);
  }

  #answered(sent: Sent, { json, status, text }: Reply): void {
    const what = `${sent.kind} ${sent.signed.txHash} of ${sent.actor.name}`;
    if (json.status !== 'ok') {
      this.#dealings.surprises.push(`${what}: ${status} ${text}`);
      sent.acknowledged ??= json;
      return;
    }
    if (sent.acknowledged !== undefined) {
      const first = sent.acknowledged;
      if (!isDeepStrictEqual([first.height, first.data], [json.height, json.data])) {
        this.#dealings.surprises.push(`${what}: first ${JSON.stringify(first)}, then ${text}`);
      }
      return;
    }
    sent.acknowledged = json;
    this.#dealings.acknowledged += 1;
    const one = this.#one;
    if ('live' in one && sent.kind !== 'cancel')
      for (const cloid of sent.cloids) one.live.add(cloid);
  }
}
