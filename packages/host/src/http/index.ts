/** A public port that speaks the wire: endpoints, refusals, limits. */
export type { PageAnswer } from './page-answer.ts';
export { RateLimiter } from './rate-limit.ts';
export {
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
  tooLarge,
  UnavailableError,
} from './reply.ts';
export { HttpEdge, type HttpEdgeOptions } from './server.ts';
