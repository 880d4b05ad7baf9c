/** What all ports have in common that are listened at. */
export {
  ANSWER_LIMITS,
  BODY_LIMITS,
  type BodyLimits,
  GREEDY_FACTOR,
  withoutClientLimits,
} from './body-budget.ts';
export { clientIpFinder, clientKey, isLoopback, isTrustedProxy } from './client-ip.ts';
export { CONNECTION_LIMITS, type ConnectionLimits } from './connection-gate.ts';
export { finishAnswer } from './finish-answer.ts';
export { forwardedFor, HttpPort, type ReadBody } from './http-port.ts';
export { isOwnPage, type PageOrigins } from './page-origins.ts';
export type { PortCall } from './port-call.ts';
export { NO_PACE, PACE, Turns } from './turns.ts';
export { measured, sendingMs, WORK_LIMITS, WorkBudget, type WorkLimits } from './work-budget.ts';
