import type { ExplainedSignature } from '@oddlot/protocol';
import { ValidationError } from '../errors.ts';
import { readInfo, type InfoContext, type InfoOptions } from './query-info.ts';

/** What `explainSignature` takes. */
export type ExplainSignatureParameters = {
  /**
   * The whole body of a request to /exchange, as text or as an object. Give the text that was sent:
   * the order of its keys and the spelling of its numbers are what the venue hashes.
   */
  readonly envelope: string | object;
  /** The address that you believe to have signed it with. */
  readonly expect?: string | undefined;
};

/**
 * Who signed a request, every value on the way there, and, when it is nobody that the venue knows, the
 * mistake that explains it. Nothing is executed and no nonce is used.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function explainSignature(
  context: InfoContext,
  { envelope, expect }: ExplainSignatureParameters,
  { signal }: InfoOptions = {},
): Promise<ExplainedSignature> {
  const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope);
  if (!isObjectText(text)) throw new ValidationError('The envelope is not a JSON object');
  const expected = expect === undefined ? '' : `,"expect":${JSON.stringify(expect)}`;
  // Put together as text, so that the envelope arrives as it was sent.
  const body = `{"type":"explainSignature","envelope":${text}${expected}}`;
  return readInfo(context, await context.http.post('/info', body, { signal }));
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
