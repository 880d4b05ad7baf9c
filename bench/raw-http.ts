/** HTTP by hand, for clients that must not take more of the cores than the server. */

/** A request as it goes over the line. */
export function requestBytes(path: string, text: string): Buffer {
  const head =
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return Buffer.from(head + text);
}

/** Where the answer ends; undefined while parts of it are missing. */
export function answerEnd(received: string): number | undefined {
  const bodyAt = received.indexOf('\r\n\r\n');
  if (bodyAt < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  const end = bodyAt + 4 + Number(length ?? 0);
  return received.length >= end ? end : undefined;
}
