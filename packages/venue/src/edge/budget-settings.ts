import { ANSWER_LIMITS, BODY_LIMITS, CONNECTION_LIMITS, WORK_LIMITS } from '@oddlot/host/ports';
import { setting, whole } from '@oddlot/host/settings';
import { WS_LIMITS } from './ws/ws-limits.ts';

/** The budgets that keep the process alive, as settings (R-requests). */
export const BUDGET_SETTINGS = {
  connections: setting(whole(), {
    default: CONNECTION_LIMITS.connectionsMax,
    help: 'connections in all; never more than there are descriptors, 160 reserved. These are the [budgets](../reference/limits.md#budgets)',
  }),
  connectionsPerClient: setting(whole(), {
    default: CONNECTION_LIMITS.connectionsPerClientMax,
    help: 'connections of one client',
  }),
  bodies: setting(whole(), {
    default: BODY_LIMITS.bodiesMax,
    help: 'bodies being read at once, in all',
  }),
  bodiesPerClient: setting(whole(), {
    default: BODY_LIMITS.bodiesPerClientMax,
    help: 'the same of one client',
  }),
  bodyBytes: setting(whole('bytes'), {
    default: BODY_LIMITS.bytesMax,
    help: 'bytes of bodies whose request has no answer yet, in all',
  }),
  bodyBytesPerClient: setting(whole('bytes'), {
    default: BODY_LIMITS.bytesPerClientMax,
    help: 'the same of one client',
  }),
  answerBytes: setting(whole('bytes'), {
    default: ANSWER_LIMITS.bytesMax,
    help: 'bytes of long answers that were not read yet, in all',
  }),
  answerBytesPerClient: setting(whole('bytes'), {
    default: ANSWER_LIMITS.bytesPerClientMax,
    help: 'the same of one client',
  }),
  unreadBytes: setting(whole('bytes'), {
    default: WS_LIMITS.bufferedBytesTotalMax,
    help: 'bytes of frames that wait for all readers of streams together',
  }),
  unreadBytesPerSocket: setting(whole('bytes'), {
    default: WS_LIMITS.bufferedBytesMax,
    help: 'the same for one of them',
  }),
  workMsPerSecond: setting(whole('ms'), {
    default: WORK_LIMITS.msPerSecond,
    help: 'milliseconds of the main thread and of the history that the queries and subscriptions of one client may take, a second',
  }),
  workMsBurst: setting(whole('ms'), { default: WORK_LIMITS.msBurst, help: 'the same at once' }),
};
