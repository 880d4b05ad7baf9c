/** An answer is longer than whoever asked can make use of. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
}

/**
 * The JSON of an answer of somebody who may be anybody: no more of it is read than it may have. What can be sent
 * in a moment can take minutes to look through.
 */
export async function boundedJson(response: Response, bytesMax: number): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    // To leave the loop ends the connection.
    if (bytes > bytesMax)
      throw new AnswerTooLongError(`its answer is longer than ${bytesMax} bytes`);
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}
