export {
  ANSWER_LIMITS,
  BODY_LIMITS,
  type BodyLimits,
  LARGEST_HOLDER_FACTOR,
  withoutClientLimits,
} from './body-budget.ts';
export { checkPorts, PortError, type PortRequest } from './check-ports.ts';
export {
  clientIpFinder,
  clientKey,
  hasForwarding,
  isLoopback,
  isTrustedProxy,
} from './client-ip.ts';
export { CONNECTION_LIMITS, type ConnectionLimits } from './connection-gate.ts';
export { finishAnswer } from './read-body.ts';
export { forwardedFor, HttpPort, type PortCall, type ReadBody } from './http-port.ts';
export { statusText } from './simple-post.ts';
export { isForeign, type PageOrigins, type Visitors } from './visitors.ts';
export { TokenBucket, TokenBuckets } from './token-bucket.ts';
export { NO_PACE } from './client-turns.ts';
export { PACE, FairQueue } from './fair-queue.ts';
export { measured, sendingMs, WORK_LIMITS, WorkBudget, type WorkLimits } from './work-budget.ts';
