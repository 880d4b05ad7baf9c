export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
}

/**
 * Parses the JSON response of an untrusted server. At most `bytesMax` bytes are read, because a
 * large response can be sent quickly but take minutes to process.
 */
export async function boundedJson(response: Response, bytesMax: number): Promise<unknown> {
  return JSON.parse((await boundedBytes(response, bytesMax)).toString('utf8'));
}

/** Returns a replacement for `fetch` that limits the size of each response. */
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
    // Exiting the loop closes the connection.
    if (bytes > bytesMax) throw new AnswerTooLongError(`the response exceeds ${bytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
