import { readInfo } from '../info/query-info.ts';
import { HttpTransport, type Fetch } from '../transport/http.ts';

/** How the operations port of a venue is reached, by a relay that it knows. */
export type OperationsOptions = {
  readonly url: string;
  readonly fetch?: Fetch | undefined;
  readonly timeoutMs?: number | undefined;
};

/** What `registerPegs` takes. */
export type RegisterPegsParameters = {
  readonly addresses: readonly string[];
  /** By the relay's key, of the text that names the venue and them. */
  readonly signature: string;
};

/**
 * Tells a venue of accounts that a relay collects in. Said twice it changes nothing. Done when the venue's log has them.
 *
 * @throws HttpError, ApiError
 */
export async function registerPegs(
  options: OperationsOptions,
  { addresses, signature }: RegisterPegsParameters,
): Promise<void> {
  const http = new HttpTransport(options);
  const reply = await http.postOnce('/pegs', JSON.stringify({ addresses, signature }));
  readInfo({}, reply);
}
