/** What all ports have in common that are listened at. */
export { ANSWER_LIMITS, BODY_LIMITS, type BodyLimits, withoutClientLimits } from './body-budget.ts';
export { checkPorts, PortError, type WantedPort } from './check-ports.ts';
export { clientIpFinder, clientKey, isLoopback, isTrustedProxy } from './client-ip.ts';
export { CONNECTION_LIMITS, type ConnectionLimits } from './connection-gate.ts';
export { finishAnswer } from './finish-answer.ts';
export { GREEDY_FACTOR } from './greedy-factor.ts';
export { hasForwarding } from './has-forwarding.ts';
export { forwardedFor, HttpPort, type ReadBody, statusText } from './http-port.ts';
export type { PageOrigins } from './page-origins.ts';
export type { PortCall } from './port-call.ts';
export { TokenBucket } from './token-bucket.ts';
export { TokenBuckets } from './token-buckets.ts';
export { NO_PACE } from './client-turns.ts';
export { PACE, FairQueue } from './fair-queue.ts';
export { isForeign, type Visitors } from './visitors.ts';
export { measured, sendingMs, WORK_LIMITS, WorkBudget, type WorkLimits } from './work-budget.ts';
