import { descriptorLimit, publicConnectionsFor } from '@oddlot/host/operate';
import {
  ANSWER_LIMITS,
  type BodyLimits,
  type ConnectionLimits,
  NO_PACE,
  PACE,
  FairQueue,
  withoutClientLimits,
  WorkBudget,
  type WorkLimits,
} from '@oddlot/host/ports';
import type { SettingsOf } from '@oddlot/host/settings';
import type { BUDGET_SETTINGS } from './budget-settings.ts';
import { WS_LIMITS, WS_LIMITS_OFF, type WsLimits } from './ws-limits.ts';

/**
 * Settings for the limits that protect the process (R-requests). Load tests disable the per-client
 * limits; the global limits always apply.
 */

type BudgetSettings = SettingsOf<{ readonly budgets: typeof BUDGET_SETTINGS }> & {
  readonly limits: boolean;
};

export type Budgets = {
  readonly connectionLimits: ConnectionLimits;
  readonly bodyLimits: BodyLimits;
  readonly answerLimits: BodyLimits;
  readonly work: WorkBudget;
  readonly wsLimits: WsLimits;
  /** Schedules the requests and the frames of all clients in a single queue. */
  readonly queue: FairQueue;
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
    queue: new FairQueue(settings.limits ? PACE : NO_PACE),
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
