/** The part of a WebSocket that is used: the browser's, Node's own and that of `ws` all have it. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'error' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

/** Opens a socket; its events come later than the call. */
export type OpenSocket = (url: string) => Socket | Promise<Socket>;

/** Opens a socket with what the host has; hosts without one of their own use `ws`. */
export const openSocket: OpenSocket = async (url) => {
  if (typeof globalThis.WebSocket === 'function') {
    return new globalThis.WebSocket(url) as Socket;
  }
  const { WebSocket } = await import('#ws');
  return new WebSocket(url) as Socket;
};
