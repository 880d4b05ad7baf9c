import { ANSWER_LIMITS, BODY_LIMITS, CONNECTION_LIMITS, WORK_LIMITS } from '@oddlot/host/ports';
import { setting, whole } from '@oddlot/host/settings';
import { WS_LIMITS } from './ws-limits.ts';

/** Settings for the limits that protect the process from overload (R-requests). */
export const BUDGET_SETTINGS = {
  connections: setting(whole(), {
    default: CONNECTION_LIMITS.connectionsMax,
    help:
      'Maximum total number of connections ([budgets](../reference/limits.md#budgets)), ' +
      'capped at the file descriptor limit minus 160',
  }),
  connectionsPerClient: setting(whole(), {
    default: CONNECTION_LIMITS.connectionsPerClientMax,
    help: 'Maximum number of connections per client',
  }),
  bodies: setting(whole(), {
    default: BODY_LIMITS.bodiesMax,
    help: 'Maximum total number of request bodies that are read concurrently',
  }),
  bodiesPerClient: setting(whole(), {
    default: BODY_LIMITS.bodiesPerClientMax,
    help: 'Maximum number of request bodies that are read concurrently per client',
  }),
  bodyBytes: setting(whole('bytes'), {
    default: BODY_LIMITS.bytesMax,
    help: 'Maximum total bytes in the bodies of unanswered requests',
  }),
  bodyBytesPerClient: setting(whole('bytes'), {
    default: BODY_LIMITS.bytesPerClientMax,
    help: 'Maximum bytes in the bodies of unanswered requests, per client',
  }),
  answerBytes: setting(whole('bytes'), {
    default: ANSWER_LIMITS.bytesMax,
    help: 'Maximum total bytes of long responses that clients have not read yet',
  }),
  answerBytesPerClient: setting(whole('bytes'), {
    default: ANSWER_LIMITS.bytesPerClientMax,
    help: 'Maximum bytes of long responses that one client has not read yet',
  }),
  unreadBytes: setting(whole('bytes'), {
    default: WS_LIMITS.bufferedBytesTotalMax,
    help: 'Maximum total bytes of frames queued for stream clients',
  }),
  unreadBytesPerSocket: setting(whole('bytes'), {
    default: WS_LIMITS.bufferedBytesMax,
    help: 'Maximum bytes of frames queued for one stream client',
  }),
  workMsPerSecond: setting(whole('ms'), {
    default: WORK_LIMITS.msPerSecond,
    help:
      "Milliseconds per second of main-thread and history-thread time that one client's " +
      'queries and subscriptions may use',
  }),
  workMsBurst: setting(whole('ms'), {
    default: WORK_LIMITS.msBurst,
    help: 'Milliseconds of main-thread and history-thread time that one client may use in a burst',
  }),
};
