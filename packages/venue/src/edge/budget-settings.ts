import { ANSWER_LIMITS, BODY_LIMITS, CONNECTION_LIMITS, WORK_LIMITS } from '@oddlot/host/ports';
import { setting, whole } from '@oddlot/host/settings';
import { WS_LIMITS } from './ws/ws-limits.ts';

/** The budgets that keep the process alive, as settings (R-requests). */
export const BUDGET_SETTINGS = {
  connections: setting(whole(), {
    default: CONNECTION_LIMITS.connectionsMax,
    help:
      'Connections in total, at most the file descriptors minus 160. This setting and ' +
      'those below it are the [budgets](../reference/limits.md#budgets)',
  }),
  connectionsPerClient: setting(whole(), {
    default: CONNECTION_LIMITS.connectionsPerClientMax,
    help: 'Connections per client',
  }),
  bodies: setting(whole(), {
    default: BODY_LIMITS.bodiesMax,
    help: 'Request bodies being read at the same time, in total',
  }),
  bodiesPerClient: setting(whole(), {
    default: BODY_LIMITS.bodiesPerClientMax,
    help: 'Request bodies being read at the same time, per client',
  }),
  bodyBytes: setting(whole('bytes'), {
    default: BODY_LIMITS.bytesMax,
    help: 'Bytes of bodies of unanswered requests, in total',
  }),
  bodyBytesPerClient: setting(whole('bytes'), {
    default: BODY_LIMITS.bytesPerClientMax,
    help: 'Bytes of bodies of unanswered requests, per client',
  }),
  answerBytes: setting(whole('bytes'), {
    default: ANSWER_LIMITS.bytesMax,
    help: 'Bytes of long answers that clients have not read yet, in total',
  }),
  answerBytesPerClient: setting(whole('bytes'), {
    default: ANSWER_LIMITS.bytesPerClientMax,
    help: 'Bytes of long answers that clients have not read yet, per client',
  }),
  unreadBytes: setting(whole('bytes'), {
    default: WS_LIMITS.bufferedBytesTotalMax,
    help: 'Bytes of frames queued for stream clients, in total',
  }),
  unreadBytesPerSocket: setting(whole('bytes'), {
    default: WS_LIMITS.bufferedBytesMax,
    help: 'Bytes of frames queued for one stream client',
  }),
  workMsPerSecond: setting(whole('ms'), {
    default: WORK_LIMITS.msPerSecond,
    help:
      'Milliseconds of the main thread and of the history per second for queries and ' +
      'subscriptions of one client',
  }),
  workMsBurst: setting(whole('ms'), {
    default: WORK_LIMITS.msBurst,
    help: 'Milliseconds of the main thread and of the history that one client may use at once',
  }),
};
