/** In a browser `WebSocket` is there already. */
export const WebSocket = globalThis.WebSocket;
