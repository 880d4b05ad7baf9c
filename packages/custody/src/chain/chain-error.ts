/** Too few endpoints answered: asked again later, nothing is known meanwhile. */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError';
}

/** Two endpoints answered differently where only one answer can be true. Nobody is believed. */
export class ChainDisagreementError extends Error {
  override readonly name = 'ChainDisagreementError';
}

/** The chain executed a call, or would, and refused it. */
export class ChainRevertError extends Error {
  override readonly name = 'ChainRevertError';
  /** What the contract said, as it said it. */
  readonly data: string | undefined;

  constructor(message: string, data: string | undefined) {
    super(message);
    this.data = data;
  }
}

/** What an endpoint threw, in one line without the request's parts. */
export function chainFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const short = 'shortMessage' in error ? String(error.shortMessage) : error.message;
  const details = 'details' in error ? String(error.details) : '';
  return details === '' || short.includes(details) ? short : `${short} ${details}`;
}

/** The data of a revert, if this is one: endpoints tell it in different depths. */
export function revertOf(error: unknown): ChainRevertError | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = 'code' in at ? at.code : undefined;
    const text = chainFault(at);
    if (code !== REVERT_CODE && !/execution reverted|\brevert(?:ed)?\b/i.test(text)) continue;
    return new ChainRevertError(text, dataOf(at));
  }
  return undefined;
}

const REVERT_CODE = 3;

function dataOf(error: Error): string | undefined {
  for (let at: unknown = error; typeof at === 'object' && at !== null;) {
    const { cause, data } = at as { readonly cause?: unknown; readonly data?: unknown };
    if (typeof data === 'string') return data;
    at = typeof data === 'object' && data !== null ? data : cause;
  }
  return undefined;
}
