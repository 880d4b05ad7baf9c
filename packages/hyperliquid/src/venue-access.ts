import type { Reply } from '@oddlot/host/http';
import {
  type AssetContext,
  type InfoAnswerOf,
  type InfoEnvelope,
  type InfoRequestOf,
  type InfoType,
  MESSAGES,
  type OpenOrder,
  type PerpMeta,
  type Trade,
} from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import { RefusedError } from './refused-error.ts';

/** The port's access to the venue in the same process. */
export type VenueAccess = {
  /** Answers a query as `POST /info` does: the body of the reply is the envelope as JSON. */
  readonly info: (query: Readonly<Record<string, unknown>>, ip: string) => Promise<Reply>;
  /**
   * Executes a Hyperliquid client's signed request and logs its body as received. Waits for
   * execution and responds like `POST /exchange` with `confirm: "executed"`.
   */
  readonly submit: (text: string, ip: string) => Promise<Reply>;
  /**
   * Opens a session on an endpoint of the venue. The endpoint's limits apply to the client address.
   */
  readonly openStream: (
    endpoint: StreamPath,
    ip: string,
    listener: {
      readonly onOpen: () => void;
      /** Called with the text of each frame. */
      readonly onFrame: (text: string) => void;
      readonly onClose: (code: number, reason: string) => void;
    },
  ) => VenueStream;
  /** Credits test funds like `POST /request-fund`; undefined if the venue has no faucet. */
  readonly requestFunds: ((user: Address) => Promise<Reply>) | undefined;
  /** The height of the state that the following functions read. */
  readonly height: () => number;
  /** The consensus time of that state, in milliseconds. */
  readonly timeMs: () => number;
  readonly hasAccount: (user: Address) => boolean;
  readonly perps: () => readonly PerpMeta[];
  /** Returns prices and volumes of all perps. */
  readonly contexts: () => readonly AssetContext[];
  /**
   * Returns all of an account's live orders, both resting and waiting for a trigger, newest first.
   */
  readonly openOrders: (user: Address) => readonly OpenOrder[];
  /** Returns the last trades of a perp, newest first. */
  readonly recentTrades: (instrumentId: number) => readonly Trade[];
};

export type StreamPath = '/ws' | '/api-ws';

/** A session on a stream endpoint. Frames can be sent after `onOpen`. */
export type VenueStream = {
  send(text: string): void;
  close(): void;
};

/** A client of the port, with the venue it queries. */
export type Requester = { readonly venue: VenueAccess; readonly ip: string };

export async function ask<const Type extends InfoType>(
  requester: Requester,
  query: { readonly type: Type } & InfoRequestOf<Type>,
): Promise<InfoAnswerOf<Type>> {
  return (await askForPage<Type>(requester, query)).data;
}

/** Sends a query as `ask` does, and also returns the start of the next page. */
export async function askForPage<const Type extends InfoType>(
  { ip, venue }: Requester,
  query: { readonly type: Type } & InfoRequestOf<Type>,
): Promise<{ readonly data: InfoAnswerOf<Type>; readonly nextCursor?: string | null }> {
  const reply = await venue.info(query, ip);
  const text = reply.bytes?.toString() ?? reply.body;
  const envelope = JSON.parse(text) as InfoEnvelope<InfoAnswerOf<Type>>;
  if (envelope.success) return envelope;
  throw new RefusedError(sentenceOf(envelope), reply.status, reply.retryAfterSeconds);
}

/** Returns the message of a refusal together with its explanation, as one string. */
export function sentenceOf({
  details,
  message,
}: {
  readonly message: string;
  readonly details?: { readonly field?: string; readonly why?: string } | undefined;
}): string {
  const { field, why } = details ?? {};
  if (why === undefined) return field === undefined ? message : `${message} (${field})`;
  const reason = NAME_FIRST.test(why) ? why : `${why.charAt(0).toUpperCase()}${why.slice(1)}`;
  return message === NOT_ALLOWED ? reason : `${message}. ${reason}`;
}

/** The message that is omitted if a refusal has an explanation. */
const NOT_ALLOWED = MESSAGES.notAllowed();

/** Matches a text that begins with the name of an action or field. The name keeps its spelling. */
const NAME_FIRST = /^[a-z]+[.A-Z]/;
