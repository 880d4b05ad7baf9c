/** A public HTTP server with its endpoints, refusals and limits. */
export {
  Address,
  ERROR_CODES,
  parseServiceRequest,
  refusal,
  type WireError,
} from '@oddlot/protocol';
export type { PageAnswer, ShownPage, SocketAnswer } from './answer-writer.ts';
export { RateLimiter } from './rate-limiter.ts';
export {
  type AnyEndpoint,
  type EdgeRequest,
  type Endpoint,
  infoRefusal,
  infoReply,
  infoReplyOf,
  rateLimited,
  type Reply,
  type StreamedReply,
  type StreamEndpoint,
  type StreamRequest,
  type TextEndpoint,
  type TextRequest,
  tooLarge,
  UnavailableError,
} from './reply.ts';
export { HttpEdge, type HttpEdgeOptions, type SocketRequest } from './http-edge.ts';
