/** In the place of `ws` where a bundle is for browsers: they all have a socket of their own. */
export const WebSocket = undefined;
