import type { Reply } from '@oddlot/host/http';
import type { Logger } from '@oddlot/host/log';
import { clientIpFinder, finishAnswer, HttpPort, type PortCall } from '@oddlot/host/ports';
import type { Address } from '@oddlot/units';

/**
 * The port on which a venue with test funds serves the API of Hyperliquid. It listens on the
 * loopback interface only, because signatures made for it are also valid on Hyperliquid's testnet.
 */

/** The port's access to the venue in the same process. */
export type VenueAccess = {
  /** Answers a query as `POST /info` does: the body of the reply is the envelope as JSON text. */
  readonly info: (query: Readonly<Record<string, unknown>>, ip: string) => Promise<Reply>;
  /**
   * Executes a signed request of a Hyperliquid client, whose body text is logged as received. Waits
   * for the execution and answers as `POST /exchange` does with `confirm: "executed"`.
   */
  readonly submit: (text: string, ip: string) => Promise<Reply>;
  /** Opens a session of the venue's `/ws` endpoint, whose limits apply to the client address. */
  readonly openStream: (
    ip: string,
    listener: {
      readonly onOpen: () => void;
      /** Called with the text of each frame. */
      readonly onFrame: (text: string) => void;
      readonly onClose: (code: number, reason: string) => void;
    },
  ) => VenueStream;
  /** Credits test funds as `POST /request-fund` does; undefined if the venue has no faucet. */
  readonly requestFunds: ((user: Address) => Promise<Reply>) | undefined;
};

/** A session of the `/ws` endpoint. Frames may be sent after `onOpen`. */
export type VenueStream = {
  send(text: string): void;
  close(): void;
};

export type HyperliquidPortOptions = {
  /** 0 selects a free port. */
  readonly port: number;
  readonly log: Logger;
  readonly venue: VenueAccess;
};

export type HyperliquidPort = {
  readonly url: string;
  /** Accepts no more clients and completes pending requests. */
  drain(): Promise<void>;
};

const LOOPBACK = '127.0.0.1';
const HTTP_NOT_IMPLEMENTED = 501;

/** Resolves once the port listens. */
export async function startHyperliquidPort({
  port: wanted,
}: HyperliquidPortOptions): Promise<HyperliquidPort> {
  const port = new HttpPort({
    serve: answer,
    clientIp: clientIpFinder([]),
    visitors: { pages: 'none', names: new Set() },
  });
  const listening = await port.listen(wanted, LOOPBACK);
  return { url: `http://${LOOPBACK}:${listening}`, drain: () => port.drain() };
}

/** Clients of Hyperliquid read `code` and `msg` from the body of a refusal. */
function answer({ request, response }: PortCall): void {
  const msg = `This version of the Hyperliquid port does not serve ${request.url ?? '/'} yet.`;
  finishAnswer(request, response, {
    status: HTTP_NOT_IMPLEMENTED,
    body: JSON.stringify({ code: HTTP_NOT_IMPLEMENTED, msg }),
    headers: ['content-type', 'application/json'],
    isLast: false,
  });
}
