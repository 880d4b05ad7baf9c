import { descriptorLimit, publicConnectionsFor } from '@oddlot/host/operate';
import {
  ANSWER_LIMITS,
  BODY_LIMITS,
  type BodyLimits,
  CONNECTION_LIMITS,
  type ConnectionLimits,
  NO_PACE,
  PACE,
  Turns,
  withoutClientLimits,
  WORK_LIMITS,
  WorkBudget,
  type WorkLimits,
} from '@oddlot/host/ports';
import { z } from 'zod';
import { WS_LIMITS, WS_LIMITS_OFF, type WsLimits } from './ws/ws-limits.ts';

/**
 * The budgets that keep the process alive, as settings (R-requests). What is per client is lifted with
 * all limits, for load tests; what is for all clients together holds in any case.
 */

const count = z.int().min(1);

export const BUDGET_SETTINGS = {
  /** Connections in all; never more than the process has descriptors for, some reserved. */
  connections: count.default(CONNECTION_LIMITS.connectionsMax),
  connectionsPerClient: count.default(CONNECTION_LIMITS.connectionsPerClientMax),
  /** Bodies that are being read. */
  bodies: count.default(BODY_LIMITS.bodiesMax),
  bodiesPerClient: count.default(BODY_LIMITS.bodiesPerClientMax),
  /** Bytes of bodies whose request has no answer yet. */
  bodyBytes: count.default(BODY_LIMITS.bytesMax),
  bodyBytesPerClient: count.default(BODY_LIMITS.bytesPerClientMax),
  /** Bytes that wait for one reader of streams, and for all together. */
  unreadBytesPerSocket: count.default(WS_LIMITS.bufferedBytesMax),
  unreadBytes: count.default(WS_LIMITS.bufferedBytesTotalMax),
  /** Bytes of answers that were not read yet. */
  answerBytes: count.default(ANSWER_LIMITS.bytesMax),
  answerBytesPerClient: count.default(ANSWER_LIMITS.bytesPerClientMax),
  /** What one client's queries and subscriptions may take of the main thread, in milliseconds. */
  workMsPerSecond: count.default(WORK_LIMITS.msPerSecond),
  workMsBurst: count.default(WORK_LIMITS.msBurst),
};

export type BudgetSettings = {
  readonly [Key in keyof typeof BUDGET_SETTINGS]: z.output<(typeof BUDGET_SETTINGS)[Key]>;
} & { readonly limits: boolean };

export type Budgets = {
  readonly connectionLimits: ConnectionLimits;
  readonly bodyLimits: BodyLimits;
  readonly answerLimits: BodyLimits;
  readonly work: WorkBudget;
  readonly wsLimits: WsLimits;
  /** Who is served next, by requests and by frames. */
  readonly turns: Turns;
};

export function budgetsOf(settings: BudgetSettings): Budgets {
  const bodyLimits: BodyLimits = {
    bodiesMax: settings.bodies,
    bodiesPerClientMax: settings.bodiesPerClient,
    bytesMax: settings.bodyBytes,
    bytesPerClientMax: settings.bodyBytesPerClient,
  };
  const answerLimits: BodyLimits = {
    ...ANSWER_LIMITS,
    bytesMax: settings.answerBytes,
    bytesPerClientMax: settings.answerBytesPerClient,
  };
  const work: WorkLimits = {
    msPerSecond: settings.limits ? settings.workMsPerSecond : Infinity,
    msBurst: settings.workMsBurst,
  };
  return {
    answerLimits: settings.limits ? answerLimits : withoutClientLimits(answerLimits),
    work: new WorkBudget(work),
    turns: new Turns(settings.limits ? PACE : NO_PACE),
    connectionLimits: {
      connectionsMax: Math.min(settings.connections, publicConnectionsFor(descriptorLimit())),
      connectionsPerClientMax: settings.limits ? settings.connectionsPerClient : Infinity,
    },
    bodyLimits: settings.limits ? bodyLimits : withoutClientLimits(bodyLimits),
    wsLimits: {
      ...(settings.limits ? WS_LIMITS : WS_LIMITS_OFF),
      bufferedBytesMax: settings.unreadBytesPerSocket,
      bufferedBytesTotalMax: settings.unreadBytes,
    },
  };
}
