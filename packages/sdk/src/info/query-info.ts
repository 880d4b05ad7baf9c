import type {
  InfoAnswerOf,
  InfoEnvelope,
  InfoRequestOf,
  InfoType,
  Warning,
  WireError,
} from '@oddlot/protocol';
import { callApart, ValidationError } from '../errors.ts';
import { apiErrorOf, type HttpReply, type HttpTransport } from '../transport/http.ts';

/** The context needed to send queries. */
export type InfoContext = {
  readonly http: HttpTransport;
  /** Finds faults in a query before it is sent. If absent, only the venue checks queries. */
  readonly check?: ((request: unknown) => WireError | undefined) | undefined;
  /** Called when a response includes a warning, for example that the queried user is an agent. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
};

export type InfoOptions = { readonly signal?: AbortSignal | undefined };

/** The fields of a query other than its type. */
export type InfoParameters<Type extends InfoType> = Omit<InfoRequestOf<Type>, 'type'>;

/** The method for a query: a special one if it exists, otherwise the plain one. */
export type QueryMethod<Type extends InfoType, Special> = Type extends keyof Special
  ? Special[Type]
  : PlainMethod<Type>;

/** The parameters are optional only if every one of them is optional. */
type PlainMethod<Type extends InfoType> =
  Record<never, never> extends InfoParameters<Type>
    ? (parameters?: InfoParameters<Type>, options?: InfoOptions) => Promise<InfoAnswerOf<Type>>
    : (parameters: InfoParameters<Type>, options?: InfoOptions) => Promise<InfoAnswerOf<Type>>;

/**
 * Sends a query of any type and returns its data.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function queryInfo<Type extends InfoType>(
  context: InfoContext,
  request: InfoParameters<Type> & { readonly type: Type },
  options?: InfoOptions,
): Promise<InfoAnswerOf<Type>> {
  return readInfo<InfoAnswerOf<Type>>(context, await askInfo(context, request, options));
}

/** Sends a query of any type and returns the complete response. */
export function askInfo<Type extends InfoType>(
  { check, http }: InfoContext,
  request: InfoParameters<Type> & { readonly type: Type },
  { signal }: InfoOptions = {},
): Promise<HttpReply> {
  const fault = check?.(request);
  if (fault !== undefined) return Promise.reject(ValidationError.of(fault));
  return http.post('/info', JSON.stringify(request), { signal });
}

/**
 * Returns the data from an /info response, or throws its refusal. Reports warnings to `onWarning`.
 */
export function readInfo<Data>({ onWarning }: Partial<InfoContext>, reply: HttpReply): Data {
  const body = reply.body as unknown as InfoEnvelope<Data>;
  if (body.success !== true) throw apiErrorOf(reply);
  if (onWarning !== undefined) {
    for (const warning of body.warnings ?? []) callApart(onWarning, warning);
  }
  return body.data;
}
