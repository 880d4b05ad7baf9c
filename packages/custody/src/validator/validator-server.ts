import type { Logger } from '@oddlot/host/log';
import {
  type BodyLimits,
  clientIpFinder,
  type ConnectionLimits,
  finishAnswer,
  hasForwarding,
  HttpPort,
  isLoopback,
  type PortCall,
  type ReadBody,
  TokenBuckets,
} from '@oddlot/host/ports';
import { isProof, isProofShaped, PROOF_HEADER, signedBody } from '../signing/validator-wire.ts';
import type { BridgeDomain } from '../signing/bridge-signatures.ts';
import type { SignedBook } from './signed-book.ts';
import type { Signer } from './signer.ts';
import { SigningRefusal } from './signing-refusal.ts';

type ValidatorServerOptions = {
  readonly signer: Signer;
  readonly domain: BridgeDomain;
  readonly relayer: string;
  /** The network name of the venue whose payouts the validator signs. */
  readonly serviceNetwork: string;
  readonly book: SignedBook;
  readonly log: Logger;
  readonly now: () => number;
  /** The host names that requests may use. */
  readonly hostNames: ReadonlySet<string>;
  readonly health?: (() => ReplicaHealth) | undefined;
};

/** The health of a replica that follows the log for a validator. */
export type ReplicaHealth = Readonly<Record<string, unknown>> & {
  /** The reason the venue's log is invalid; null while it is valid. */
  readonly finding: string | null;
};

const BODY_BYTES_MAX = 8_192;
/** The maximum number of concurrent requests from the venue, which sends only a few at a time. */
const OPEN_MAX = 256;
const REQUEST_MS_MAX = 10_000;
const CONNECTION_LIMITS: ConnectionLimits = { connectionsMax: 512, connectionsPerClientMax: 128 };
const BODY_LIMITS: BodyLimits = {
  bodiesMax: 512,
  bodiesPerClientMax: 128,
  bytesMax: 512 * BODY_BYTES_MAX,
  bytesPerClientMax: 128 * BODY_BYTES_MAX,
};

type Reply = { readonly status: number; readonly body: object };

/**
 * The HTTP server of a validator: `POST /sign` for its venue only, and `GET /healthz` and `GET
 * /signed` for operators. It has the same limits as any port that untrusted clients can reach. A
 * requester must prove that it is the venue before any work is done, and its rate is limited.
 */
export class ValidatorServer {
  readonly #options: ValidatorServerOptions;
  readonly #port: HttpPort;
  readonly #budget: RequestBudget;
  readonly #working = new Set<Promise<void>>();
  #open = 0;

  constructor(options: ValidatorServerOptions) {
    this.#options = options;
    this.#budget = new RequestBudget(options.now);
    this.#port = new HttpPort({
      serve: (call) => this.#serve(call),
      clientIp: clientIpFinder([]),
      visitors: { pages: 'none', names: options.hostNames },
      connectionLimits: CONNECTION_LIMITS,
      bodyLimits: BODY_LIMITS,
      headersTimeoutMs: REQUEST_MS_MAX,
      requestTimeoutMs: REQUEST_MS_MAX,
    });
  }

  /** Resolves with the port number when the server is listening. */
  listen(port: number, host: string): Promise<number> {
    return this.#port.listen(port, host);
  }

  /** Resolves when no signature is in progress. */
  async stop(): Promise<void> {
    await this.#port.drain();
    await Promise.all(this.#working);
  }

  #serve(call: PortCall): void {
    const { headers, method, url = '/' } = call.request;
    const [path] = url.split('?', 1);
    if (this.#port.isDraining) return this.#end(call, refusal(503, 'the validator is stopping'));
    if (method === 'GET' && path === '/healthz') return this.#end(call, this.#health());
    if (method === 'GET' && path === '/signed') {
      return this.#work(call, () => this.#signed(call));
    }
    if (method !== 'POST' || path !== '/sign') {
      return this.#end(
        call,
        refusal(404, 'Not found. This port serves POST /sign, GET /healthz and GET /signed'),
      );
    }
    // If there is no proof, the request's body is not read.
    if (!isProofShaped(headers[PROOF_HEADER])) return this.#end(call, this.#unauthenticated());
    if (call.awaitsContinue) call.response.writeContinue();
    call.awaitsContinue = false;
    return this.#port.read(call, { bytesMax: BODY_BYTES_MAX }, (read) =>
      this.#work(call, () => this.#sign(call, read)),
    );
  }

  #health(): Reply {
    const { book, domain, serviceNetwork, signer } = this.#options;
    const replica = this.#options.health?.();
    // If there is a finding, the validator does not sign until an operator has investigated.
    const ok = (replica?.finding ?? null) === null;
    const places = { ...domain, serviceNetwork };
    const health = { ok, validator: signer.address, ...places, signed: book.count };
    const body = replica === undefined ? health : { ...health, replica };
    return { status: ok ? 200 : 503, body };
  }

  /**
   * Serves the list of signatures to clients on this machine, and to the venue, which proves its
   * identity by signing the path.
   */
  async #signed(call: PortCall): Promise<Reply> {
    const { book } = this.#options;
    const isHere = isLoopback(call.ip) && !hasForwarding(call.request);
    if (!isHere) {
      if (!this.#budget.take(call.client, 'other')) return refusal(429, 'too many requests');
      if (!(await this.#isVenue(call, '/signed'))) return this.#unauthenticated();
    }
    return { status: 200, body: { count: book.count, latest: book.latest } };
  }

  async #sign(call: PortCall, read: ReadBody): Promise<Reply> {
    const { log, signer } = this.#options;
    if (read === 'client') return refusal(429, 'too many requests');
    if (read === 'all') return refusal(503, 'too many concurrent requests');
    if (read === 'tooLarge') return refusal(413, 'the request is too long');
    const asked = read === 'notUtf8' ? undefined : parsed(read.text);
    if (!this.#budget.take(call.client, kindOf(asked))) return refusal(429, 'too many requests');
    const isVenue = typeof read !== 'string' && (await this.#isVenue(call, read.text));
    if (!isVenue) return this.#unauthenticated();
    if (asked === undefined) return refusal(400, 'the request is not JSON');
    if (this.#open >= OPEN_MAX) return refusal(503, 'too many concurrent requests');
    this.#open++;
    try {
      const signed = await signer.sign(asked, AbortSignal.timeout(REQUEST_MS_MAX));
      log.info({ asked }, 'signing request accepted');
      return { status: 200, body: signedBody(signed) };
    } catch (error) {
      if (!(error instanceof SigningRefusal)) throw error;
      const { message, status } = error;
      log.warn({ asked, why: message }, 'signing request rejected');
      return refusal(status, message);
    } finally {
      this.#open--;
    }
  }

  #isVenue({ request }: PortCall, text: string): Promise<boolean> {
    const proof = String(request.headers[PROOF_HEADER]);
    return isProof(proof, { body: text, by: this.#options.relayer });
  }

  #unauthenticated(): Reply {
    return refusal(
      401,
      `this validator accepts requests only from relayer ${this.#options.relayer}`,
    );
  }

  #work(call: PortCall, answer: () => Promise<Reply>): void {
    this.#port.works(call);
    const work: Promise<void> = answer()
      .catch((error: unknown) => {
        this.#options.log.error({ err: error }, 'request failed');
        return refusal(500, 'the validator failed; see its log');
      })
      .then((reply) => this.#end(call, reply))
      .finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  #end(call: PortCall, { body, status }: Reply): void {
    const { request, response } = call;
    if (call.isOver || response.headersSent) return;
    const text = `${JSON.stringify(body)}\n`;
    const refused = this.#port.hold(call, Buffer.byteLength(text));
    if (refused !== undefined) {
      // There is not even capacity for an error response.
      response.destroy();
      return;
    }
    const isLast = call.awaitsContinue || this.#port.isDraining;
    const headers = ['content-type', 'application/json', 'cache-control', 'no-store'];
    finishAnswer(request, response, { status, body: text, headers, isLast });
  }
}

function refusal(status: number, message: string): Reply {
  return { status, body: { message } };
}

function kindOf(asked: unknown): Asked {
  const type = typeof asked === 'object' && asked !== null && 'type' in asked ? asked.type : '';
  return type === 'payout' || type === 'cancellation' ? type : 'other';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * The maximum number of requests per second and client. Cancellations cause chain queries, so their
 * limit is low.
 */
const IN_SECOND_MAX = { payout: 200, cancellation: 10, other: 50 } as const;

type Asked = keyof typeof IN_SECOND_MAX;

/** Limits requests per address, so that useless requests from one address do not block others. */
class RequestBudget {
  readonly #now: () => number;
  readonly #buckets: Readonly<Record<Asked, TokenBuckets>>;

  constructor(now: () => number) {
    const bucketsOf = (asked: Asked): TokenBuckets => {
      const limit = IN_SECOND_MAX[asked];
      return new TokenBuckets({ perSecond: limit, burst: limit }, now());
    };
    this.#now = now;
    this.#buckets = {
      payout: bucketsOf('payout'),
      cancellation: bucketsOf('cancellation'),
      other: bucketsOf('other'),
    };
  }

  take(client: string, asked: Asked): boolean {
    const nowMs = this.#now();
    return this.#buckets[asked].of(client, nowMs).take(1, nowMs);
  }
}
