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
import type { BridgeDomain } from '../signing/validators.ts';
import type { SignedBook } from './signed-book.ts';
import type { Signer } from './signer.ts';
import { SigningRefusal } from './signing-refusal.ts';

type ValidatorServerOptions = {
  readonly signer: Signer;
  readonly domain: BridgeDomain;
  /** Whom it signs for: the address of the relayer's key of its venue. */
  readonly relayer: string;
  /** The name of the venue whose payouts it signs. */
  readonly serviceNetwork: string;
  readonly book: SignedBook;
  readonly log: Logger;
  readonly now: () => number;
  /** Host names that requests may use. */
  readonly hostNames: ReadonlySet<string>;
  /** Of a ledger of its own. */
  readonly health?: (() => ReplicaHealth) | undefined;
};

/** How the replica of a validator does that follows the log itself. */
export type ReplicaHealth = Readonly<Record<string, unknown>> & {
  /** Why the log of the venue is not correct; null while it is. */
  readonly finding: string | null;
};

const BODY_BYTES_MAX = 8_192;
/** Requests of the venue that are being looked at; it asks for a few at a time. */
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
 * The door of a validator: `POST /sign` for its venue alone, and for operators `GET /healthz` and `GET /signed`. It has the
 * budgets of every port that strangers reach. Who asks has to show that they are the venue before anything is looked at, and
 * may only ask so much.
 */
export class ValidatorServer {
  readonly #options: ValidatorServerOptions;
  readonly #door: HttpPort;
  readonly #budget: RequestBudget;
  readonly #working = new Set<Promise<void>>();
  #open = 0;

  constructor(options: ValidatorServerOptions) {
    this.#options = options;
    this.#budget = new RequestBudget(options.now);
    this.#door = new HttpPort({
      serve: (call) => this.#serve(call),
      clientIp: clientIpFinder([]),
      visitors: { pages: 'none', names: options.hostNames },
      connectionLimits: CONNECTION_LIMITS,
      bodyLimits: BODY_LIMITS,
      headersTimeoutMs: REQUEST_MS_MAX,
      requestTimeoutMs: REQUEST_MS_MAX,
    });
  }

  /** Resolves with the port once it listens. */
  listen(port: number, host: string): Promise<number> {
    return this.#door.listen(port, host);
  }

  /** Resolves when nothing is being signed any more. */
  async stop(): Promise<void> {
    await this.#door.drain();
    await Promise.all(this.#working);
  }

  #serve(call: PortCall): void {
    const { headers, method, url = '/' } = call.request;
    const [path] = url.split('?', 1);
    if (this.#door.isDraining) return this.#end(call, told(503, 'the validator is stopping'));
    if (method === 'GET' && path === '/healthz') return this.#end(call, this.#health());
    if (method === 'GET' && path === '/signed') {
      return this.#work(call, () => this.#signed(call));
    }
    if (method !== 'POST' || path !== '/sign') {
      return this.#end(
        call,
        told(404, 'Not found. This port serves POST /sign, GET /healthz and GET /signed'),
      );
    }
    // Whoever has no signature to show has nothing to say that is worth reading.
    if (!isProofShaped(headers[PROOF_HEADER])) return this.#end(call, this.#stranger());
    if (call.awaitsContinue) call.response.writeContinue();
    call.awaitsContinue = false;
    return this.#door.read(call, { bytesMax: BODY_BYTES_MAX }, (read) =>
      this.#work(call, () => this.#sign(call, read)),
    );
  }

  #health(): Reply {
    const { book, domain, serviceNetwork, signer } = this.#options;
    const replica = this.#options.health?.();
    // It signs nothing any more, until somebody has looked at it.
    const ok = (replica?.finding ?? null) === null;
    const places = { ...domain, serviceNetwork };
    const health = { ok, validator: signer.address, ...places, signed: book.count };
    const body = replica === undefined ? health : { ...health, replica };
    return { status: ok ? 200 : 503, body };
  }

  /** For whoever is on this machine, and for the venue, which then signs the path. */
  async #signed(call: PortCall): Promise<Reply> {
    const { book } = this.#options;
    const isHere = isLoopback(call.ip) && !hasForwarding(call.request);
    if (!isHere) {
      if (!this.#budget.take(call.client, 'other')) return told(429, 'too many requests');
      if (!(await this.#isVenue(call, '/signed'))) return this.#stranger();
    }
    return { status: 200, body: { count: book.count, latest: book.latest } };
  }

  async #sign(call: PortCall, read: ReadBody): Promise<Reply> {
    const { log, signer } = this.#options;
    if (read === 'client') return told(429, 'too many requests');
    if (read === 'all') return told(503, 'too many concurrent requests');
    if (read === 'tooLarge') return told(413, 'the request is too long');
    const asked = read === 'notUtf8' ? undefined : parsed(read.text);
    if (!this.#budget.take(call.client, kindOf(asked))) return told(429, 'too many requests');
    const isVenue = typeof read !== 'string' && (await this.#isVenue(call, read.text));
    if (!isVenue) return this.#stranger();
    if (asked === undefined) return told(400, 'the request is not JSON');
    if (this.#open >= OPEN_MAX) return told(503, 'too many concurrent requests');
    this.#open++;
    try {
      const signed = await signer.sign(asked, AbortSignal.timeout(REQUEST_MS_MAX));
      log.info({ asked }, 'signing request accepted');
      return { status: 200, body: signedBody(signed) };
    } catch (error) {
      if (!(error instanceof SigningRefusal)) throw error;
      const { message, status } = error;
      log.warn({ asked, why: message }, 'signing request rejected');
      return told(status, message);
    } finally {
      this.#open--;
    }
  }

  #isVenue({ request }: PortCall, text: string): Promise<boolean> {
    const proof = String(request.headers[PROOF_HEADER]);
    return isProof(proof, { body: text, by: this.#options.relayer });
  }

  #stranger(): Reply {
    return told(401, `this validator accepts requests only from relayer ${this.#options.relayer}`);
  }

  #work(call: PortCall, answer: () => Promise<Reply>): void {
    this.#door.works(call);
    const work: Promise<void> = answer()
      .catch((error: unknown) => {
        this.#options.log.error({ err: error }, 'request failed');
        return told(500, 'the validator failed; see its log');
      })
      .then((reply) => this.#end(call, reply))
      .finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  #end(call: PortCall, { body, status }: Reply): void {
    const { request, response } = call;
    if (call.isOver || response.headersSent) return;
    const text = `${JSON.stringify(body)}\n`;
    const refused = this.#door.hold(call, Buffer.byteLength(text));
    if (refused !== undefined) {
      // There is no room to say even why.
      response.destroy();
      return;
    }
    const isLast = call.awaitsContinue || this.#door.isDraining;
    const headers = ['content-type', 'application/json', 'cache-control', 'no-store'];
    finishAnswer(request, response, { status, body: text, headers, isLast });
  }
}

function told(status: number, message: string): Reply {
  return { status, body: { message } };
}

function kindOf(asked: unknown): Asked {
  const type = typeof asked === 'object' && asked !== null && 'type' in asked ? asked.type : '';
  return type === 'payout' || type === 'cancellation' ? type : 'other';
}

/** Undefined for what is no JSON. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** What one who asks may ask for in a second; cancellations have the chain looked at. */
const IN_SECOND_MAX = { payout: 200, cancellation: 10, other: 50 } as const;

type Asked = keyof typeof IN_SECOND_MAX;

/** How much each address asks, so that one who asks for nothing useful does not keep others from it. */
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

  /** False when it was too much. */
  take(client: string, asked: Asked): boolean {
    const nowMs = this.#now();
    return this.#buckets[asked].of(client, nowMs).take(1, nowMs);
  }
}
