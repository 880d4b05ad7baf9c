/** An answer is longer than whoever asked can make use of. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
}

/**
 * The JSON of an answer of somebody who may be anybody: no more of it is read than it may have. What can be sent
 * in a moment can take minutes to look through.
 */
export async function boundedJson(response: Response, bytesMax: number): Promise<unknown> {
  return JSON.parse((await boundedBytes(response, bytesMax)).toString('utf8'));
}

/** The same for whoever is handed a way to fetch. */
export function boundedFetch(
  bytesMax: number,
): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { headers, status } = response;
    return new Response(new Uint8Array(await boundedBytes(response, bytesMax)), {
      headers,
      status,
    });
  };
}

async function boundedBytes(response: Response, bytesMax: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    // To leave the loop ends the connection.
    if (bytes > bytesMax) throw new AnswerTooLongError(`the response exceeds ${bytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
