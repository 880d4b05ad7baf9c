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
  /** Answers a query as `POST /info` does: the body of the reply is the envelope as JSON text. */
  readonly info: (query: Readonly<Record<string, unknown>>, ip: string) => Promise<Reply>;
  /**
   * Executes a signed request of a Hyperliquid client, whose body text is logged as received. Waits
   * for the execution and answers as `POST /exchange` does with `confirm: "executed"`.
   */
  readonly submit: (text: string, ip: string) => Promise<Reply>;
  /** Opens a session on an endpoint of the venue, whose limits apply to the client address. */
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
  /** Credits test funds as `POST /request-fund` does; undefined if the venue has no faucet. */
  readonly requestFunds: ((user: Address) => Promise<Reply>) | undefined;
  /** The height of the state that the following functions read. */
  readonly height: () => number;
  /** The time of that state. */
  readonly timeMs: () => number;
  readonly hasAccount: (user: Address) => boolean;
  readonly perps: () => readonly PerpMeta[];
  /** Prices and volumes of each perp. */
  readonly contexts: () => readonly AssetContext[];
  /** All live orders of an account, resting and waiting, newest first. */
  readonly openOrders: (user: Address) => readonly OpenOrder[];
  /** The last trades of a perp, newest first. */
  readonly recentTrades: (instrumentId: number) => readonly Trade[];
};

export type StreamPath = '/ws' | '/api-ws';

/** A session of a stream endpoint. Frames may be sent after `onOpen`. */
export type VenueStream = {
  send(text: string): void;
  close(): void;
};

/** A client of the port and its venue. */
export type Asker = { readonly venue: VenueAccess; readonly ip: string };

export async function ask<const Type extends InfoType>(
  asker: Asker,
  query: { readonly type: Type } & InfoRequestOf<Type>,
): Promise<InfoAnswerOf<Type>> {
  return (await askForPage<Type>(asker, query)).data;
}

/** The same with the start of the next page. */
export async function askForPage<const Type extends InfoType>(
  { ip, venue }: Asker,
  query: { readonly type: Type } & InfoRequestOf<Type>,
): Promise<{ readonly data: InfoAnswerOf<Type>; readonly nextCursor?: string | null }> {
  const reply = await venue.info(query, ip);
  const text = reply.bytes?.toString() ?? reply.body;
  const envelope = JSON.parse(text) as InfoEnvelope<InfoAnswerOf<Type>>;
  if (envelope.success) return envelope;
  throw new RefusedError(sentenceOf(envelope), reply.status, reply.retryAfterSeconds);
}

/** The message of a refusal of the venue with its explanation, as one text. */
export function sentenceOf({
  details,
  message,
}: {
  readonly message: string;
  readonly details?: { readonly field?: string; readonly why?: string } | undefined;
}): string {
  const { field, why } = details ?? {};
  if (why === undefined) return field === undefined ? message : `${message} (${field})`;
  const reason = `${why.charAt(0).toUpperCase()}${why.slice(1)}`;
  return message === NOT_ALLOWED ? reason : `${message}. ${reason}`;
}

/** Adds nothing to an explanation. */
const NOT_ALLOWED = MESSAGES.notAllowed();
