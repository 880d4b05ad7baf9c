/** This module replaces `ws` in bundles for browsers, which all have their own socket. */
export const WebSocket = undefined;
